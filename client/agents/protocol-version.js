// Made by npm run reference from the messages between controller and agents: config/message-shapes.js.

/** An agent and a controller whose messages differ would misunderstand each other. */
export const PROTOCOL_VERSION = '76365bce933f';
