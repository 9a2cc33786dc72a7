// Results of a window of round trips, for the benches that count these. Pure.

/** @param {{cpuSeconds: number, roundTrips: number}} figures @returns {number} CPU in us of each */
export function cost({ cpuSeconds, roundTrips }) {
  return (cpuSeconds / roundTrips) * 1e6;
}

/** @param {{roundTrips: number, seconds: number}} figures */
export function perSecond({ roundTrips, seconds }) {
  return roundTrips / seconds;
}
