// echo: what came goes back. There is no frame, so what one read returned counts as one request.

/** @returns {import('./index.js').Codec} */
export function echo() {
  return (bytes) => ({ reply: bytes, requests: 1, then: 'more' });
}
