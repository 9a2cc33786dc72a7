// Why a server has no profile.

import { counted } from '../words/format.js';
import { warningsOf } from '../words/warnings.js';

export const warning = warningsOf({
  'node-silent': {
    text: () => 'no thread of Node has loaded the module that profiles it',
    remedy: 'The command must hand on the environment variables NODE_OPTIONS and BROADSIDE_PROFILE.',
  },
  'not-explained': {
    /** @param {{ reason: string }} data */
    text: ({ reason }) => `the servers could not be profiled: ${reason}`,
  },
  'perf-missing': {
    text: () => 'perf is not installed, which profiles servers of any language but JavaScript',
    remedy: 'On Debian: apt install linux-perf; on Ubuntu: apt install linux-tools-generic',
  },
  'perf-not-permitted': {
    /** @param {{ level: number }} data */
    text: ({ level }) => `this user may not profile: kernel.perf_event_paranoid is ${level}`,
    remedy: 'sysctl kernel.perf_event_paranoid=1, or run as root',
  },
  'perf-failed': {
    /** @param {{ reason: string }} data */
    text: ({ reason }) => `perf took no sample${reason === '' ? '' : `: ${reason}`}`,
  },
  'profile-empty': {
    /** @param {{ samples: number }} data */
    text: ({ samples }) =>
      `${counted(samples, 'sample')} of its work were taken while it was loaded, too few to tell anything`,
    remedy: 'Profile for longer, such as --explain 60s, or with more connections.',
  },
  'profile-not-loaded': {
    /** @param {{ reason: string }} data */
    text: ({ reason }) => `the server could not be loaded again to be profiled: ${reason}`,
  },
});
