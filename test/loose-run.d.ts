// A run as the report reads it, of which a test changes parts or leaves them out.

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
