// The second step of action.yml: one comment of the pull request holds the newest summary. It is found again by its
// author, who is the user of the token, and by a mark, so that a pull request gets one comment and not one for each
// push. Without the right to comment it warns and ends well.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What GitHub takes, in characters. */
const MAX_LENGTH = 65_536;
const PER_PAGE = 100;

/**
 * @param {string} name of this use of the action
 * @param {string} markdown
 * @returns {{mark: string, body: string}} mark: the comment's first line, invisible
 */
export function commentOf(name, markdown) {
  const mark = `<!-- broadside: ${name.replaceAll('--', '- -')} -->`;
  const body = `${mark}\n${markdown}`;
  if (body.length <= MAX_LENGTH) return { mark, body };
  const note = '\n\nThe rest is on the page of the job.\n';
  const kept = body.slice(0, MAX_LENGTH - note.length);
  return { mark, body: kept.slice(0, kept.lastIndexOf('\n')) + note };
}

/**
 * @param {NodeJS.ProcessEnv} env of a step
 * @param {typeof fetch} [send]
 * @returns {Promise<'created' | 'updated' | 'not allowed'>}
 */
export async function comment(env, send = fetch) {
  const {
    GITHUB_API_URL: api,
    GITHUB_GRAPHQL_URL: graphql = `${api}/graphql`,
    GITHUB_REPOSITORY: repository,
    GITHUB_TOKEN: token,
    GITHUB_EVENT_PATH: event = '',
  } = env;
  const { number } = JSON.parse(readFileSync(event, 'utf8')).pull_request;
  const { mark, body } = commentOf(
    env.BROADSIDE_NAME || 'Broadside',
    readFileSync(env.BROADSIDE_MARKDOWN ?? '', 'utf8'),
  );
  const issues = `${api}/repos/${repository}/issues`;
  /** @param {string} method @param {string} url @param {object} [content] */
  const request = async (method, url, content) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' };
    const answer = await send(url, { method, headers, body: content && JSON.stringify(content) });
    if (answer.status === 403 || answer.status === 404) return null;
    if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  // The token of a job has no access to /user.
  const asked = await request('POST', graphql, { query: '{ viewer { databaseId } }' });
  const author = asked?.data?.viewer?.databaseId;
  if (author === undefined) return 'not allowed';
  for (let page = 1; ; page++) {
    const comments = await request('GET', `${issues}/${number}/comments?per_page=${PER_PAGE}&page=${page}`);
    if (comments === null) return 'not allowed';
    const own = comments.find(
      (/** @type {{ body?: string, user: { id: number } | null }} */ { body: text = '', user }) =>
        user?.id === author && text.startsWith(mark),
    );
    if (own) return (await request('PATCH', `${issues}/comments/${own.id}`, { body })) ? 'updated' : 'not allowed';
    if (comments.length < PER_PAGE) break;
  }
  return (await request('POST', `${issues}/${number}/comments`, { body })) ? 'created' : 'not allowed';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const outcome = await comment(process.env);
  if (outcome === 'not allowed') {
    console.log('::warning::the token may not comment: give the job the permission pull-requests: write');
  }
}
