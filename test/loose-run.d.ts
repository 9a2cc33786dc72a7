// Types of a run as the report reads it, for tests that change or remove parts of it.

type LooseLeg = Omit<import('../report/types.js').Leg, 'summary' | 'planned' | 'samples'> & {
  summary: any;
  planned: any;
  samples: any[];
};
type LooseRun = Omit<import('../report/types.js').Run, 'summary' | 'plan' | 'scenario' | 'legs'> & {
  summary: any;
  plan: any;
  scenario: any;
  legs: LooseLeg[];
};
