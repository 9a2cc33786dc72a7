// The addresses that an agent may send load to. The agent judges the numeric address that its workers would connect
// to, never a name, which could later resolve to another address.
import { BlockList, isIP } from 'node:net';

/** The networks that an agent may reach by default. */
export const LOOPBACK = Object.freeze(['127.0.0.0/8', '::1/128']);

/**
 * @param {string} text such as 10.0.0.0/8, fd00::/8 or a single address
 * @returns {{ address: string, prefix: number, family: 'ipv4' | 'ipv6' } | null} null: not a network
 */
export function parseNetwork(text) {
  const [address, given, ...extra] = text.split('/');
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  if (version === 0 || extra.length > 0 || (given !== undefined && !/^[0-9]{1,3}$/.test(given))) return null;
  const prefix = given === undefined ? bits : Number(given);
  return prefix > bits ? null : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

export class AllowList {
  /** @param {readonly string[]} texts networks that parseNetwork() accepts */
  constructor(texts) {
    this.texts = [...texts];
    this.networks = new BlockList();
    for (const text of texts) {
      const network = parseNetwork(text);
      if (network === null) throw new TypeError(`not a network: ${text}`);
      this.networks.addSubnet(network.address, network.prefix, network.family);
    }
  }

  /** @param {string} address @returns {boolean} false also if it is not numeric, such as a path */
  permits(address) {
    const version = isIP(address);
    return version !== 0 && this.networks.check(address, version === 4 ? 'ipv4' : 'ipv6');
  }

  /** @param {string[]} addresses @returns {string[]} the addresses that are not permitted, each once */
  refused(addresses) {
    return [...new Set(addresses)].filter((address) => !this.permits(address));
  }
}
