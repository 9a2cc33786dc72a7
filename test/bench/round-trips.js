// Results of a window of round trips, for the benches that count these. Pure.

/** @param {{cpuSeconds: number, roundTrips: number}} figures @returns {number} CPU in us of each */
export function cost({ cpuSeconds, roundTrips }) {
  return (cpuSeconds / roundTrips) * 1e6;
}

/** @param {{roundTrips: number, loadedTrips?: number, seconds: number}} figures loadedTrips: where clients take turns */
export function perSecond({ roundTrips, loadedTrips = roundTrips, seconds }) {
  return loadedTrips / seconds;
}
