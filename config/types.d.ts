// The types of the documents that config/schema/ describes. Made from it by `npm run reference`: edit the schema.
/** What to do to which servers. Every key except the settings of a single server is also a flag of `broadside stress`; nested keys are joined by dots. */
export type WrittenScenario = {
  /** Path or URL of this schema, for editors */
  $schema?: string;
  /** Name of the run; part of its id */
  name?: string;
  /** One line about the scenario, shown on the console and in the report */
  description: string;
  /** Servers to measure, one leg each, in this order; a pattern selects every server it matches */
  servers?: (
    | string
    | {
        /** Name of a server as listed by `npm run servers`, or a pattern matched against language/name, such as c/* or * /*-pool */
        name: string;
        /** Like the key instances, for this entry only */
        instances?: number;
        /** Like the key wrap, for this entry only; a string is the command for the server */
        wrap?:
          | string
          | {
              /** Like wrap.server, for this entry only */
              server?: string;
              /** Like wrap.client, for this entry only */
              client?: string;
            };
        /** Label of the leg, needed if the name alone is ambiguous; with a pattern, a suffix of each name */
        as?: string;
        /** Settings passed to the server */
        options: {
          /** Length of the accept queue that the server requests */
          backlog: number;
          /** Maximum number of threads or processes, for a server that starts one per connection */
          maxChildren?: number;
          /** Number of processes that share the port; auto starts as many as the descriptors for the connections require (usually 1), or the default of a server whose processes each serve one connection */
          processes: 'auto' | number;
          /** Number of serving threads, for a server with a fixed number of them */
          threads?: number;
          /** Simulated work per request, drawn uniformly between two times */
          work?: string;
          /** What the work does: delay the reply and leave the thread free, put the serving thread to sleep, or use CPU */
          workKind?: 'wait' | 'block' | 'spin';
          /** Random seed of the work times */
          workSeed?: number;
          /** Whether the zero word of protocol volley stops the server */
          volleyStop?: boolean;
          /** TCP_NODELAY on the server's sockets */
          nodelay?: 'on' | 'off';
          /** Close a connection that is idle for this long */
          idleTimeout?: string;
        };
        /** Environment variables for the server */
        env: {
          [k: string]: string;
        };
      }
  )[];
  /** Number of copies of the server to start on consecutive ports, each a process of its own; every worker is bound to one of them */
  instances: number;
  /** Address of a server that is already running: host:port, [IPv6]:port, unix:/path, or a URL such as https://host:8443/path, which also says protocol, TLS and path; several, or a range of ports such as host:7000-7003, are measured together as instances of one server */
  target?: string | string[];
  /** Command that starts a server of your own; {port}, {host} and {path} are replaced by its port, address and Unix socket; several, an object of labels and commands, are a leg each, and servers may be given with them */
  command?:
    | string
    | {
        [k: string]: string;
      };
  /** Address on which the servers that Broadside starts listen: 127.0.0.1 (ipv4), ::1 (ipv6), or a Unix socket in a temporary folder (unix) */
  listen: 'ipv4' | 'ipv6' | 'unix';
  /** What carries the bytes: TCP (or the Unix socket of `listen`), SCTP with one-to-one (sctp) or one-to-many sockets (sctp-seqpacket), or UDP (memcached only) */
  transport: 'tcp' | 'sctp' | 'sctp-seqpacket' | 'udp';
  /** SCTP implementation: the kernel's, or usrsctp in user space over UDP, with the UDP port equal to the SCTP port; auto uses the kernel's if the kernel has one. The server must use the same implementation */
  sctpStack: 'auto' | 'kernel' | 'usrsctp';
  /** Process ID of the target, if it runs on this machine; its CPU and memory are then measured */
  serverPid?: number;
  /** Search for the greatest rate or number of connections at which a condition holds; that key gives the greatest value to try */
  find?: {
    /** What to search for: the greatest rate, or the greatest number of connections */
    maximise: 'rate' | 'connections';
    /** The condition that must hold, as in thresholds; the rate must also be reached, or the connections served */
    while: string;
    /** The first value to try */
    from?: number | string;
    /** How far the greatest value that held and the smallest that failed may be apart */
    tolerance: string;
    /** Legs at both ends of the interval are repeated until one outcome was seen this many times more than the other */
    confirm: number;
  };
  /** How many times every leg is measured: each round runs all of them once, in an order made from seed; comparisons then have intervals */
  rounds: number;
  /** How servers at the same point are compared: side by side, with all connections open, loaded one at a time for a slice. auto: of a length that follows from the response times, 100ms or more; a length: of that length; off: each server is measured by itself, one after the other */
  interleave: string;
  /** Rate at which the response times of several servers are compared: after the legs of a closed loop, each server that served all connections has a leg at that rate in open loop, the same for all, with response times from when the requests were due. A share is one of the smallest throughput found */
  compareAt?: string;
  /** Two servers are as good as each other where the 95 % interval of the ratio of a figure is this close to 1 */
  margin: string;
  /** Measure servers side by side until every mark and every condition is known: at least for duration, at most for this time */
  budget?: string;
  /** Wait between the end of a leg and the start of the next one */
  legGap: string;
  /** Conditions that each leg must meet; otherwise the exit code is 99 */
  thresholds?: string[];
  /** Conditions that no leg may meet; otherwise the exit code is 99 */
  failIf?: string[];
  /** Exit with 0 where a condition between servers, or the comparison with --baseline, is undecided: where the interval of the ratio is too wide to tell; otherwise the exit code is 99 */
  allowUndecided: boolean;
  /** Conditions that end a leg early, each with the time for which it must hold; a leg that ended so fails the verdict */
  stopOn?: string[];
  /** Allow a target outside loopback and private addresses; use it only where you may run a stress test */
  allowPublicTarget: boolean;
  /** Number of connections to open and keep open; a list is a profile over the steady state: the ramp opens its first number, and its last one holds until the end */
  connections:
    | number
    | {
        /** Connections at the start of the piece */
        connections: number;
        /** Connections at the end of the piece, reached linearly; by default the same as at the start */
        to?: number;
        /** Length of the piece */
        for: string;
      }[];
  /** How connections are added */
  ramp: {
    /** Connections added per step */
    add: number;
    /** Time between two steps */
    every?: string;
    /** Spread the connections of a step evenly over its time instead of opening them all at once */
    spread: boolean;
  };
  /** What a connection does: repeat transfers, close after one transfer, stay open, or connect anew for each transfer */
  workload: 'continuous' | 'once' | 'hold' | 'reconnect';
  /** When a connection begins its transfers: as soon as it is open, or together with all others when the ramp is over */
  start: 'open' | 'together';
  /** Maximum connects per second of all workers together, for any reason: ramp, back-off, lifetime or reconnect */
  connectRate?: string;
  /** Size of a request: the bytes that echo returns; the message of ace, nats and websocket; the body of an HTTP POST or PUT; the value of a redis or memcached key; the data that stream sends (64KiB by default). A range such as 1B-64KiB: each request draws its size from it, all sizes being equally likely (echo, ace, websocket, and HTTP POST and PUT). file:PATH takes the bytes from a file, in a scenario relative to its folder. A volley request is always 4B */
  payload: string;
  /** Protocol of requests and replies; servers/PROTOCOLS.md describes each */
  protocol: 'echo' | 'volley' | 'ace' | 'http' | 'redis' | 'memcached' | 'raw' | 'nats' | 'stream' | 'websocket';
  /** Use TLS; the server's certificate is verified unless tls.verify is false */
  tls:
    | boolean
    | {
        /** PEM file of the certificate authorities to trust; in a scenario, a path relative to its folder */
        ca?: string;
        /** Verify the server's certificate: its issuer, validity period and name */
        verify: boolean;
        /** Name or address that the certificate must be valid for; a name is also sent to the server (SNI) */
        serverName?: string;
        /** Lowest TLS version */
        minVersion: 'TLSv1.2' | 'TLSv1.3';
        /** Highest TLS version */
        maxVersion: 'TLSv1.2' | 'TLSv1.3';
        /** TLS 1.2 ciphers, in OpenSSL syntax */
        ciphers?: string;
        /** PEM file of the client certificate, for servers that request one */
        certificate?: string;
        /** PEM file of the private key of tls.certificate, without a password */
        key?: string;
        /** Resume the previous TLS session when a connection is reopened, if the server allows it; otherwise every handshake is a full one */
        resume: boolean;
      };
  /** Options of protocol volley */
  volley: {
    /** Send the word 1 first on each connection; the connection counts as open when the reply is 2, otherwise as rejected (cause greeting) */
    verify: boolean;
  };
  /** The request of protocol http */
  http: {
    /** Request method; POST and PUT send payload bytes as the body */
    method: 'GET' | 'HEAD' | 'POST' | 'PUT';
    /** Request path */
    path: string;
    /** Host header */
    host?: string;
    /** Additional request headers */
    headers: {
      [k: string]: string;
    };
    /** Send many requests per connection; otherwise each request asks the server to close the connection */
    keepAlive: boolean;
  };
  /** The commands of protocol redis */
  redis: {
    /** Command to send, by the names of redis-benchmark; payload is the size of each value */
    command:
      | 'PING_INLINE'
      | 'PING'
      | 'SET'
      | 'GET'
      | 'INCR'
      | 'LPUSH'
      | 'RPUSH'
      | 'LPOP'
      | 'RPOP'
      | 'SADD'
      | 'HSET'
      | 'SPOP'
      | 'ZADD'
      | 'ZPOPMIN'
      | 'LRANGE_100'
      | 'LRANGE_300'
      | 'LRANGE_500'
      | 'LRANGE_600'
      | 'MSET';
    /** Several commands instead of one, with their weights, in random order */
    mix?: {
      [k: string]: number;
    };
    /** Number of keys, or of elements that SADD, HSET and ZADD add; each command picks one at random */
    keys: number;
    /** Elements of the list, set or sorted set before a leg of LPOP, RPOP, SPOP or ZPOPMIN; when they are used up, each further reply counts as a miss */
    elements: number;
    /** Set all keys and elements that the commands read before a leg; otherwise a missing one counts as a miss */
    prefill: boolean;
  };
  /** The upgrade request of protocol websocket */
  websocket: {
    /** Path of the upgrade request */
    path: string;
    /** Host header */
    host?: string;
    /** Additional headers of the upgrade request */
    headers: {
      [k: string]: string;
    };
  };
  /** The messages of protocol nats */
  nats: {
    /** Whether each connection receives the messages it publishes itself, or sends requests to a service that is already running */
    mode: 'publish' | 'request';
    /** Subject: the prefix of each connection's own subject (publish), or the subject of the service (request) */
    subject: string;
    /** File with USER:PASSWORD for the server; in a scenario, a path relative to its folder. Only the path is stored with the run */
    login?: string;
    /** File with an authentication token, instead of login */
    token?: string;
  };
  /** The commands of protocol memcached */
  memcached: {
    /** memcached's text protocol, or its binary one */
    format: 'text' | 'binary';
    /** Ratio of gets to sets, in random order */
    ratio: string;
    /** Number of keys; each command picks keys at random */
    keys: number;
    /** Keys per get */
    keysPerGet: number;
    /** Length of a key: a prefix (value: in keys of 18 bytes, val: in keys of 16) and twelve digits */
    keyBytes: number;
    /** Value sizes, assigned to the keys in turn; list a size twice to make it twice as frequent */
    sizes?: string[];
    /** Set all keys before a leg with gets; otherwise a missing key counts as a miss */
    prefill: boolean;
  };
  /** What protocol raw sends, and where a reply ends */
  raw: {
    /** Text to send, in UTF-8, with the escapes \r \n \t \0 \\ and \xHH */
    send?: string;
    /** File to send, instead of send; at most 1MiB. In a scenario, a path relative to its folder */
    file?: string;
    /** End a reply after this many bytes */
    length?: string;
    /** End a reply with this text, with the escapes of send */
    delimiter?: string;
    /** End a reply when nothing arrives for this long; the wait is not part of the response time */
    silence?: string;
  };
  /** Warm-up between ramp and steady state, excluded from the steady-state results: a duration, or a number of transfers of all connections together (checked once per second) */
  warmup?: number | string;
  /** Length of the steady state, after ramp and warm-up; with a profile, the profile's length by default */
  duration: string;
  /** Continue the steady state until the 95 % interval of each percentile reaches no further than this to either side of it, as a share of its value; at least for duration, and for 30s */
  untilConfident?: {
    /** Continue the steady state until the 95 % interval of the median response time reaches at most this share of its value to either side */
    p50?: string;
    /** The same for the 90th percentile */
    p90?: string;
    /** The same for the 99th percentile */
    p99?: string;
    /** Longest steady state with untilConfident */
    maximum: string;
  };
  /** Number of transfers per leg, including those of the ramp; the leg ends when they have ended, or after duration, whichever comes first */
  transfers?: number;
  /** Values to measure one after another, one leg each per server; several axes are crossed */
  sweep?: {
    /** Servers to measure, instead of the key servers */
    servers?: (
      | string
      | {
          [k: string]: unknown;
        }
    )[];
    /** Numbers of connections, instead of the key connections. Almost any other key can be an axis as well: --sweep.payload 1B,1KiB, --sweep.redis.command GET,SET */
    connections?: number[];
    [k: string]:
      | (string | number | boolean)[]
      | (
          | string
          | {
              [k: string]: unknown;
            }
        )[]
      | number[]
      | undefined;
  };
  /** Tests to measure one after another, one leg each per server: each is a name and the keys in which it differs from the scenario (load, deadlines and protocol options, but not workload, protocol, tls and sweep); with a sweep, each test is measured at each of its points */
  tests?: {
    /** Name of the test: part of its legs' labels, and what `--tests` selects by */
    as: string;
    [k: string]: unknown;
  }[];
  /** Requests per second of all workers together, due on a schedule whatever the server does (open loop), from the end of the ramp; a list is a profile over the steady state, whose last rate holds until the end */
  rate?:
    | string
    | {
        /** Requests per second at the start of the piece; 0/s for none */
        rate: string;
        /** Requests per second at the end of the piece, reached linearly; by default the same as at the start */
        to?: string;
        /** Length of the piece */
        for: string;
      }[];
  /** Spacing of the requests of rate: even, or random as from many independent users */
  arrivals: 'constant' | 'poisson';
  /** Transfers in flight per connection, each timed on its own (workload continuous) */
  pipeline: number;
  /** When to close a connection after a transfer and reopen it; the first limit reached applies (workloads continuous and hold) */
  lifetime: {
    /** Close a connection after this many transfers */
    transfers?: number;
    /** Close a connection after the first transfer that ends past this age */
    time?: string;
    /** Open a new connection in place of the closed one; otherwise the leg ends when all connections have ended */
    reopen: boolean;
  };
  /** Pause between two transfers of a connection (workload continuous) */
  pause: string;
  /** Interval between two transfers of a held connection; 0s for no transfers (workload hold) */
  heartbeat: string;
  /** Time limit for opening a connection, including the TLS handshake and the greeting */
  connectTimeout: string;
  /** Time limit for a transfer */
  transferTimeout: string;
  /** Time limit for a warm-up given as a number of transfers; after it the steady state begins anyway, with a warning */
  warmupTimeout?: string;
  /** Time for transfers in flight at the end; those that take longer count as unfinished */
  drainTimeout?: string;
  /** Wait before a rejected or lost connection is tried again */
  backoff: {
    /** First wait before a rejected or lost connection is tried again; each wait is drawn uniformly from the upper half of its value */
    base: string;
    /** Growth factor of each further wait */
    factor: number;
    /** Longest wait */
    cap: string;
  };
  /** Number of worker processes; auto is 2 on a machine with 2 cores or more, and more only where the descriptor limit requires it and a worker cannot have several engines */
  workers: 'auto' | number;
  /** Local addresses to connect from, in turn; auto lets the kernel choose and adds addresses where one has too few ports */
  sources: 'auto' | string[];
  /** Options of the client's sockets */
  socket: {
    /** TCP_NODELAY: send small segments immediately */
    nodelay: boolean;
    /** TCP keep-alive: idle time before the first probe, and time between two probes */
    keepAlive?: string;
    /** SO_LINGER: only 0s, with which closing a connection sends RST instead of FIN */
    linger?: string;
    /** SO_SNDBUF; the kernel doubles the value */
    sendBuffer?: string;
    /** SO_RCVBUF; the kernel doubles the value */
    receiveBuffer?: string;
    /** Local port of the first connection; each further connection from the same address uses the next port */
    sourcePort?: number;
    /** IP_TOS, or the IPv6 traffic class; 184 is expedited forwarding */
    tos?: number;
    /** TCP congestion control, such as cubic, reno or bbr */
    congestion?: string;
  };
  /** Run what would be refused: a load that this machine cannot generate is reduced to what is possible; a target that does not listen, or does not speak the protocol, is measured all the same */
  force: boolean;
  /** System calls by which the engine moves bytes; auto is epoll for every load. io_uring needs Linux 6.1, and the liburing headers at set-up */
  io: 'auto' | 'epoll' | 'io_uring';
  /** Transfers whose response time is split by kernel timestamps into send delay, network and server, and receive delay: one in 64 (at few transfers per second more), all, or none. TCP only; all costs a few system calls per transfer */
  timestamps?: 'sample' | 'all' | 'off';
  /** CPUs of client and server */
  pin: {
    /** CPUs for all workers; the value each gives every worker a CPU of its own, beginning with CPUs that no instance of the server uses */
    client?: string;
    /** CPUs for the server and its child processes; the value each gives every instance a CPU of its own, from CPU 1 on, using one hyperthread of every core before the others */
    server?: string;
    /** Separate CPUs for server and client: S:C puts the server on the first S CPUs, in the order of the value each, and the client on the last C CPUs */
    cores?: string;
  };
  /** Commands under which server and workers run */
  wrap?: {
    /** Command that runs every server, such as perf stat or onload --profile=latency; the server's command line is appended to it */
    server?: string;
    /** Command that runs every worker; the worker's command line is appended to it */
    client?: string;
  };
  /** Format of the log of every transfer; Parquet is converted from Arrow after each leg */
  transferLog: 'parquet' | 'arrow' | 'none';
  /** Random seed of payload, back-off, sampled transfers and the order of legs within a round */
  seed: number;
};

/** What a run does, decided before it starts: plan.json. Times of a leg are relative to its start. A field is absent rather than zero where there is nothing to say. */
export type Plan = {
  schema: 2;
  scenario: string;
  workload: string;
  protocol: string;
  /** Absent where tests differ in it. */
  payloadBytes?: number;
  /** Where each request draws its size from here to payloadBytes. */
  payloadMinBytes?: number;
  /** Of tests and of a sweep, the most; with `force`, those that the client can open. */
  connections: number;
  /** Likewise. */
  connectRate: number | null;
  transferLog: 'parquet' | 'arrow' | 'none';
  seed: number;
  rounds: number;
  /** Ids, in the order of the scenario. */
  cases: string[];
  /** In the order in which they are run. */
  legs: PlannedLeg[];
  /** Of all servers, where they are not the defaults. */
  sharedOptions: Record<string, any>;
  /** With `find`: legs are added to the plan as they become known. usualLegs: the most, if the first value holds and no leg contradicts another. */
  search?: {
    maximise: 'rate' | 'connections';
    while: string;
    from: number;
    to: number;
    tolerance: number;
    confirm: number;
    usualLegs: number;
    mostLegs: number;
  };
  /** With `compareAt`: legs in open loop that are added to the plan once the others have ended. share: of the smallest throughput found; rate: given. mostLegs: of the run, if every server serves all connections. */
  compareAt?: {
    share?: number;
    rate?: number;
    mostLegs: number;
  };
  expected: {
    seconds: number;
    /** null: not known beforehand. */
    transferLogBytes: number | null;
    /** Of each of its engines, where it has several. */
    descriptorsPerWorker: number;
  };
  /** Every limit that was compared, also those that are not exceeded. */
  limits: Limit[];
  warnings: Warning[];
};

/** host: of a Unix socket, unix: and its path. */
export type Endpoint = {
  host: string;
  port: number;
};

/** As in the scenario, but only those that the server takes; processes is a number. */
export type ServerOptions = {
  backlog?: number;
  maxChildren?: number;
  processes?: number;
  threads?: number;
  work?: string;
  workKind?: 'wait' | 'block' | 'spin';
  workSeed?: number;
  volleyStop?: boolean;
  nodelay?: 'on' | 'off';
  idleTimeout?: string;
};

/** One that is shipped or contributed, one that runs already, or a command. targets: all of them, where there are several. */
export type PlannedServer =
  | {
      kind: 'named';
      name: string;
      options: ServerOptions;
      env: {
        [k: string]: string;
      };
    }
  | {
      kind: 'target';
      host: string;
      port: number;
      pid: number | null;
      targets?: Endpoint[];
    }
  | {
      kind: 'command';
      command: string;
    };

/** Slots that are active from a time on; line: reached linearly from the point before. */
export type SchedulePoint = {
  atNs: number;
  slots: number;
  line: boolean;
};

/** Requests per second of all workers from a time on; line: reached linearly from the point before. */
export type RatePoint = {
  atNs: number;
  rate: number;
  line: boolean;
};

export type Limit = {
  code: string;
  /** Of the resource, for people. */
  name: string;
  /** Labels of the legs whose server it concerns; empty: the client or the kernel. */
  servers: string[];
  side: 'client' | 'server' | 'kernel';
  exceeded: boolean;
  /** Of available and needed. */
  unit: 'count' | 'bytes' | 'cores';
  /** null: unlimited, or nothing to count. */
  available: number | null;
  needed: number | null;
  /** Connections that a server can have by this limit, where that can be said. */
  holds: number | null;
  /** What text and remedy are made of. */
  data: Record<string, any>;
  /** What is needed, what there is, and what follows. */
  text: string;
  /** null: it is not exceeded, or nothing helps. */
  remedy: string | null;
};

export type PlannedLeg = {
  id: string;
  /** Of its case: the same in every round. */
  label: string;
  server: PlannedServer;
  serverModel?: ServerModel;
  axes: Axes;
  /** Of a test, a sweep or `compareAt`: the label of the server alone. */
  series?: string;
  /** Of a test, a sweep or `compareAt`: keys of the resolved scenario that differ in this leg. */
  settings?: Record<string, any>;
  comparedAt?: number;
  /** Id of its case: the same in every round. */
  case: string;
  connections: number;
  round: number;
  workers: number;
  /** Of each worker, where it has several, each with descriptors of its own. */
  engines?: number;
  /** The backend of its workers. */
  io: string;
  /** Of the server, where there are several. */
  instances?: number;
  wrap?: Wrap;
  transport?: LegTransport;
  stack?: SctpStack;
  pin: LegPin;
  /** With `pin.server: each`: of each instance. */
  serverCpus?: string[];
  /** With `pin.client: each`: of each worker. */
  workerCpus?: string[];
  /** Name of the host on which its server is started; absent: this one. */
  serverAgent?: string;
  /** Names of the hosts of its workers: worker w is on the (w mod length)-th; absent: this one. */
  agents?: string[];
  /** Of each of its agents, addresses to connect from; empty: the kernel's choice there; absent: it is on all. */
  agentSources?: string[][];
  /** Addresses to connect from, in turn; empty: the kernel's choice. */
  sources: string[];
  /** The ramp. */
  schedule: SchedulePoint[];
  /** Of the connections, from the steady state on. */
  profile?: SchedulePoint[];
  /** Of an open loop, relative to rampToNs. */
  rates?: RatePoint[];
  slices?: Slices;
  /** The warm-up begins, or without one the steady state. */
  rampToNs: number;
  /** That end the warm-up before steadyFromNs; null: it lasts until then. */
  warmupTransfers: number | null;
  steadyFromNs: number;
  steadyToNs: number;
  drainTimeoutNs: number;
  endNs: number;
};
/** With other legs it shares the time from its start to the end of its steady state: one of them is loaded at a time, for a slice. group: its legs begin together; index: of the leg in its group; of: legs in the group; lengthNs: of a slice, with settleNs at its end, in which no request begins and replies are awaited; fromNs: when slices of that length begin; pilot: those before, from whose response times the length is chosen, absent where it was given; seed: of their order. */
export type Slices = {
  group: number;
  index: number;
  of: number;
  lengthNs: number;
  settleNs: number;
  fromNs: number;
  pilot?: {
    lengthNs: number;
    settleNs: number;
  };
  seed: number;
};

/** Figures outside `steady` cover the whole leg. A field is absent rather than zero where nothing was measured. */
export type RunSummary = {
  schema: 3;
  run: string;
  scenario: string;
  startedAt: string;
  endedAt: string;
  endedBy: EndedBy;
  /** Whether every leg ran to its planned end. */
  complete: boolean;
  /** Exit status of the command: 0; 1: incomplete, a search found no answer, or a file could not be written; 99: a condition is not met or undecided, or worse than the baseline or undecided, unless that is allowed; 130, 143: interrupted. Absent if the run was killed. */
  exitCode?: 0 | 1 | 99 | 130 | 143;
  /** The scenario in short. payloadBytes: absent where tests differ in it; payloadMinBytes: where each request draws its size from there to payloadBytes. */
  config: {
    connections: number;
    workload: string;
    protocol: string;
    payloadBytes?: number;
    payloadMinBytes?: number;
    loop: 'open' | 'closed';
    /** A share: two servers are as good as each other where the interval of their ratio is this close to 1; absent: 0.05. */
    margin?: number;
    /** With budget: how many times servers were to be compared, so that the intervals of ratios are wider than those of 95 %. */
    looks?: number;
  };
  warnings: Warning[];
  /** A server at one point of the sweep, or in one test, in the order of the scenario; its legs are its rounds. */
  cases?: Case[];
  /** The marks of every case, by figure and point, against the best one there. Absent with one round, which ranks nothing. */
  comparisons?: Comparison[];
  search?: Search;
  verdict?: Verdict;
  baseline?: Baseline;
  legs: LegSummary[];
};

/** plan: the planned end; done: every connection had finished, as with transfers; stop-on: a condition of stopOn held; confident: the intervals of untilConfident were reached; interrupted: by a signal; cut: the run was killed, and its summary was made later; the others: why it could not continue. */
export type EndedBy =
  | 'plan'
  | 'done'
  | 'interrupted'
  | 'server-start'
  | 'target-lost'
  | 'no-transfers'
  | 'inconsistent'
  | 'cut'
  | 'workers'
  | 'error'
  | 'stop-on'
  | 'confident';

/** code and data are for programs; text is for people and may change. data.servers: labels of the legs concerned. */
export type Warning = {
  code: string;
  data: Record<string, any>;
  text: string;
};

/** The run compared with an earlier one (--baseline). outcome: worse: a figure certainly by more than the tolerance, or a figure of the baseline is missing; not-worse: certainly none by more; undecided: neither; without a tolerance compared, or not-known where no figure has an interval. */
export type Baseline = {
  run: ComparedRun;
  baseline: ComparedRun;
  /** A share; null: none was given. */
  tolerance: number | null;
  outcome: 'worse' | 'not-worse' | 'undecided' | 'not-known' | 'compared';
  /** Of each case that both runs have. ratio: run / baseline, by rounds that are not paired. */
  comparisons: ComparedFigure[];
  /** Figures that the baseline has and the run has not. */
  absent: {
    case: string;
    figure: ComparedName;
  }[];
  /** Cases whose rejects, errors or incomplete legs differ: those of the run and of the baseline. */
  failures: {
    case: string;
    data: {
      /**
       */
      [k: string]: [number, number];
    };
  }[];
  /** Labels of cases that only one of them has. */
  unpaired: {
    run: string[];
    baseline: string[];
  };
  /** What differs in machine, versions and scenario. */
  conditions: {
    key: string;
    run: unknown;
    baseline: unknown;
  }[];
};

/** A figure of a case in both runs. label: of the case in the run. beyond: certainly worse by more than the tolerance; undecided: whether it is is not known. */
export type ComparedFigure = {
  figure: ComparedName;
  case: string;
  label: string;
  baseline: string;
  mark: Mark;
  values: Pairs;
  beyond?: true;
  undecided?: true;
};

export type ComparedRun = {
  id: string;
  name: string;
};

/** The answer of a search (find), for each server. Absent without one. */
export type Search = {
  maximise: 'rate' | 'connections';
  while: string;
  tolerance: number;
  confirm: number;
  servers: {
    label: string;
    /** Whether at both ends this outcome was seen at least `confirm` times more than the opposite one; or the greatest value held, or none did. */
    decided: boolean;
    /** Why the answer has no upper end (upper-bound), or no lower one (never-held), or why there is none. Absent where both ends are confirmed. */
    reason?: 'upper-bound' | 'never-held' | 'contradictory' | 'too-many-probes' | 'not-judged' | 'unfinished';
    /** The greatest value that held. */
    held?: Tally;
    /** The smallest value above it that did not. */
    failed?: Tally;
    /** What did not hold in the legs with that value, and in how many of them: a clause of the condition, or what the search itself requires. Absent without a value that failed. */
    broken?: {
      cause: ProbeCause;
      condition?: string;
      legs: number;
    }[];
    /** What limited the leg with that value. */
    limitedBy?: 'client' | 'server' | 'machine' | 'none';
    /** Why the outcomes may not be the server's: code as in warnings and findings, and the number of legs. */
    cautions?: {
      code: 'background-load' | 'arrivals-distorted';
      legs: number;
    }[];
    /** In few words: such as 4,000 to 4,200/s; for people. */
    answer: string;
    /** What the answer is known from. */
    details: string;
    /** Items: The legs, in order. held: null if the leg could not be judged. cause: why it did not hold: the condition; rate-not-reached: less than 95 % of the rate; not-served: less than 99.9 % of the connections on which a request was sent; not-asked: a request was sent on less than 95 % of them; no-transfers, target-lost: how the leg ended. */
    probes: {
      leg: string;
      value: number;
      held: boolean | null;
      cause?: ProbeCause;
      /** One for each clause of the condition, as in verdict; and one, with its cause, for what the search itself requires and was not met. */
      figures: {
        figure: string;
        condition: string;
        cause?: ProbeCause;
        value?: number | string;
        above?: number;
        held: boolean;
      }[];
      text: string;
    }[];
  }[];
};

export type ProbeCause =
  'condition' | 'rate-not-reached' | 'not-served' | 'not-asked' | 'no-transfers' | 'target-lost' | 'not-judged';

export type Tally = {
  value: number;
  held: number;
  failed: number;
};

/** Whether the conditions of the scenario are met. passed: all are, and every leg ran to its end; in a search, every leg was run. undecided: it did not pass, and nothing failed. allowUndecided: of one that is undecided, whether the exit code is 0 all the same. Absent without conditions. */
export type Verdict = {
  passed: boolean;
  undecided?: true;
  allowUndecided?: true;
  /** Items: One condition and one leg, or one server of a search, or one case: the rounds of a leg, of which the median counts, or the worst where failures are counted. undecided: it compares servers, and the interval of a ratio does not tell whether it passes. */
  thresholds: {
    condition: string;
    kind: 'threshold' | 'failIf' | 'stopOn';
    leg?: string;
    case?: string;
    label: string;
    /** Items: In ns, bytes, bytes a second, counts, shares or cores. above: more than that, as with a percentile that reads > max. baseline: of a comparison, the label of the first server, with the ratio to it. None of them: it was not measured. */
    figures: {
      figure: string;
      value?: number | string;
      above?: number;
      baseline?: string;
      ratio?: {
        median: number;
        low: number;
        high: number;
      };
      passed: boolean;
    }[];
    passed: boolean;
    undecided?: true;
    text: string;
  }[];
};

export type Figures = {
  /** Of beforeSteady only: the phase in which the leg ended. */
  phase?: 'warmup' | 'ramp';
  /** Of wholeLeg only: the end of the interval with the last reply. The rates are of the time up to it. */
  answeredToNs?: number;
  fromNs: number;
  toNs: number;
  transfers: number;
  /** Transfers that failed in the steady state, and those in flight at its end that failed in the drain. */
  failed: number;
  /** Transfers cut off in the steady state, and those in flight at its end that the drain cut off. */
  unfinished: number;
  /** Open loop: requests that the schedule called for, including those of a warm-up that were still waiting. */
  due?: number;
  /** Over UDP: datagrams that were not the next one of the reply awaited (late, repeated or out of order), and were dropped. */
  strays?: number;
  /** Open loop: requests that were sent after waiting for a connection. */
  late?: number;
  /** Open loop: requests still waiting at the end of the steady state, and those of a dead worker until its replacement started. */
  unsent?: number;
  /** Transfers per second. */
  perSecond: number;
  /** Bytes received per second. */
  bytesPerSecond: number;
  /** Bytes sent per second. */
  bytesSentPerSecond: number;
  /** From when the request was due (open loop) or sent (closed loop). */
  responseTimeNs?: Times;
  /** Open loop: from when the request was sent. */
  serviceTimeNs?: Times;
  /** Kernel timestamps of a sample of transfers: their response time, by where it went. sampled: how many; leftOut: those that were to be split and were not, by cause (as in sample.json). sendDelayNs: until the last byte of the request left; networkAndServerNs: until the last byte of the reply arrived; receiveDelayNs: until it was read; connectionWaitNs, in open loop: before all of these, until a connection was free. clientPart: by how much a percentile would be lower without sendDelayNs and receiveDelayNs; absent where too few were sampled. */
  timestamps?: {
    sampled: number;
    leftOut?: Causes;
    responseTimeNs?: Times;
    sendDelayNs?: Times;
    networkAndServerNs?: Times;
    receiveDelayNs?: Times;
    connectionWaitNs?: Times;
    clientPart?: {
      p50?: ClientPart;
      p99?: ClientPart;
    };
  };
  /** Of an even rate: how well the times between two sends of a worker follow the schedule. distance: of poisson, by Kolmogorov and Smirnov; of constant, the share of gaps more than half too long or too short. delayNs: mean time from when a request was due until it was sent. */
  arrivals?: {
    distribution: 'constant' | 'poisson';
    gaps: number;
    distance: number;
    delayNs: number;
  };
  /** Whole replies by kind; their total is that of transfers. */
  statuses?: Causes;
  /** Transfers of each slot: were all connections served alike? */
  perConnection?: {
    min: number;
    p1: number;
    p50: number;
    max: number;
  };
  client: {
    cpuSeconds: number;
    engineCpuSeconds: number;
    waitSeconds: number;
    /** Shares of the time of each worker's engine thread (engine: its number in the worker, if each has several): on a core (cpu), and ready but waiting for one (wait). */
    engines: {
      worker: number;
      engine?: number;
      cpu: number;
      wait: number;
    }[];
  };
  /** Connections opened in this span. */
  opened: number;
  /** Attempts begun in this span. */
  attempts: number;
  server?: {
    cpuSeconds: number;
    /** Mean share of a core of the busiest process, of the next, and so on; absent where they are not known. */
    processCpu?: number[];
  };
};

/** Of a percentile of the sampled response times: the percentile, the client's part of it, and the share that this is. */
export type ClientPart = {
  responseNs: number;
  clientNs: number;
  share: number;
};

export type Times = {
  count: number;
  min: number;
  mean: number;
  stddev: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  p99_9: number;
  p99_99: number;
  max: number;
  /** 95 % intervals of the percentiles, from batches of the seconds of the steady state. Absent below 30 s and where the load changes; without the percentiles whose interval cannot be known. */
  intervals?: {
    /** low, high */
    [k: string]: [number, number];
  };
};

/** What a reader of the figures should know. problem: the server or target failed at something; caution: a figure may mislead; note: worth knowing. code and data are for programs; text and remedy are for people and may change. */
export type Finding = {
  code: string;
  severity: 'problem' | 'caution' | 'note';
  data: Record<string, any>;
  text: string;
  remedy?: string;
};

/** A host that had some of the workers. Counts are of the whole leg; those of all agents add up to the leg's. figures: of the same span as those of the leg; cpuSeconds: of its workers. */
export type Agent = {
  name: string;
  /** Its share of those of the leg. */
  connections: number;
  workers: number[];
  opened: number;
  lost: number;
  rejects: number;
  errors: number;
  openAtEnd: number;
  unansweredAtEnd: number;
  /** bytesSent, bytesReceived: absent in runs made before they were recorded. */
  transfers: {
    count: number;
    failed: number;
    unfinished: number;
    bytesSent?: number;
    bytesReceived?: number;
  };
  figures: {
    transfers: number;
    failed: number;
    unfinished: number;
    perSecond: number;
    responseTimeNs?: Times;
    cpuSeconds: number;
  };
  /** Half of the shortest of 20 round trips before the leg, or of 20 after it, whichever is longer: its start may be off by that much. */
  clockUncertaintyNs?: number;
  /** How far the offset of its clock moved during the leg, as measured. */
  clockDriftNs?: number;
  /** How late the last of its workers learned of the start; 0: in time. */
  startLateNs?: number;
  /** The agent was lost: the figures end with its last report. */
  agentLost?: true;
};

/** One of several instances of a server. Counts are of the whole leg; those of all instances add up to the leg's. figures: of the same span as those of the leg. */
export type Instance = {
  index: number;
  /** Absent in the summary of a run that was killed, as the port is. */
  target?: string;
  port?: number;
  /** Its CPU, with pin.server each. */
  cpus?: string;
  /** Those bound to it. */
  workers: number[];
  /** Their CPUs, with pin.client each. */
  workerCpus?: string[];
  opened: number;
  lost: number;
  rejects: number;
  errors: number;
  openAtEnd: number;
  unansweredAtEnd: number;
  /** bytesSent, bytesReceived: absent in runs made before they were recorded. */
  transfers: {
    count: number;
    failed: number;
    unfinished: number;
    bytesSent?: number;
    bytesReceived?: number;
  };
  figures: {
    transfers: number;
    failed: number;
    unfinished: number;
    perSecond: number;
    responseTimeNs?: Times;
    /** CPU time of its server process; absent where it is not known. */
    serverCpuSeconds?: number;
  };
};

/** A step of the ramp that lasted to its end. A sample belongs to the step in which it ends; a step in which none ends is merged with the next one. */
export type Step = {
  /** Its number, from 1. */
  step: number;
  fromNs: number;
  toNs: number;
  /** Connections requested during the step. */
  requested: number;
  /** Connections open at the end of the step. */
  open: number;
  /** Connections unanswered at the end of the step. */
  unanswered: number;
  /** Of the unanswered connections, those opened in the last sample (on a line, or with workload reconnect). */
  openedLastSecond?: number;
  /** Transfers that can be in flight: connections requested (workload reconnect), or open connections times pipeline. Used in place of open by the rule responseTime. */
  maxInFlight?: number;
  /** Rejects in all samples of the step; of the last step, also those until connectTimeout and transferTimeout have passed. */
  rejects: number;
  /** Errors, counted like rejects. */
  errors: number;
  /** Connects that needed another SYN, counted like rejects; where connections end as planned, their share of the requested connections. Absent: none. */
  delayed?: number;
  /** Attempts in flight at the end of the step since before its last sample. Absent: none. */
  connecting?: number;
  /** Transfers per second, without the first sample of the step if it has more (unless pause or heartbeat spaces the requests). */
  perSecond: number;
  /** Median response time over the same samples; absent if no request was answered. */
  p50Ns?: number;
  /** 99th percentile of the same. */
  p99Ns?: number;
};

export type Causes = {
  total: number;
  [k: string]: number;
};

/** What tells a leg or case from the others of its server: the scenario's test that it belongs to; in a sweep, each axis by its dotted key, with the value as written. */
export type Axes = {
  test?: string;
  connections?: number;
  [k: string]: string | number | boolean | undefined;
};

/** Attempts that did not open, by cause. */
export type Rejects = {
  total: number;
  refused: number;
  reset: number;
  timeout: number;
  unreachable: number;
  local: number;
  handshake: number;
  greeting: number;
  other: number;
};

/** What ended or invalidated open connections, by cause. */
export type Errors = {
  total: number;
  reset: number;
  closed: number;
  timeout: number;
  corrupt: number;
  protocol: number;
  other: number;
};

export type Case = {
  id: string;
  label: string;
  server: string;
  series?: string;
  axes: Axes;
  comparedAt?: number;
  /** Ids of its legs, in the order of the rounds. */
  legs: string[];
  /** Those that are compared (client/judge/figures.js). One is absent if no complete leg has it. p50Ns, p99Ns, p99_9Ns: response times; also absent if, in one of the rounds, more requests have no reply than the percentile leaves room for. networkP50Ns, networkP99Ns: their part of network and server, by kernel timestamps (timestamps). served: connections open and answered at the end. */
  figures: {
    [k: string]: CaseFigure;
  };
  /** Over the rounds. requested, low, high: the knee in the middle, the least and the greatest, which are at most one stage apart. above: no round has a knee up to this number of connections. undetermined: the rounds disagree, or half of them or more could not determine theirs. values: of each round, in order; null: the leg is not complete. Absent without a ramp of steps. */
  knee?: {
    requested?: number;
    low?: number;
    high?: number;
    above?: number;
    undetermined?: Undetermined;
    values: ((number | null) | ('none' | 'undetermined'))[];
  };
};

/** Why the knee is not determined. short-steps: fewer than three stages of three seconds; scatter: the throughput scatters too much, or the place is not known to within one stage; background-load: other programs used more of the machine in the slower stages; rounds-disagree: of a case, its rounds show knees more than one stage apart, or some show none. */
export type Undetermined = {
  code: 'short-steps' | 'scatter' | 'background-load' | 'rounds-disagree';
  data: {
    [k: string]: number;
  };
};

/** The median over rounds with the 95 % interval from low to high, both absent with fewer than three rounds. values: of each round, in order; null: not measured, or the leg is not complete. */
export type CaseFigure = {
  median: number;
  low?: number;
  high?: number;
  method: Method;
  values: (number | null)[];
};

/** How the interval was made. */
export type Method =
  'too-few-rounds' | 'student-t-log' | 'student-t' | 'trimmed-mean-log' | 'order-statistics' | 'not-positive';

/** Its key in figures of cases. */
export type ComparedName = string;

/** How a figure of a case stands. best: others are certainly worse. as-good: the interval of the ratio lies within 5 %, of two runs also within the tolerance. worse, better (of two runs only): it excludes 1. not-known: it does neither, or there is none (why). not-compared: the server left connections without a reply, so that its figures are those of the others. ratio: to the figure that it is compared with. smallestPercent: the smallest difference that this run could have seen, half the width of the interval. why: chance: the interval excludes 1, but so many comparisons of a run have one that does by chance; follows-from-throughput: in a saturated closed loop. */
export type Mark = {
  code: 'best' | 'as-good' | 'worse' | 'better' | 'not-known' | 'not-compared';
  why?: 'once' | 'two-rounds' | 'rounds-differ' | 'chance' | 'absent' | 'served-some' | 'follows-from-throughput';
  ratio?: Ratio;
  smallestPercent?: number;
};

/** In each round: the value and that of the baseline; null: not measured. */
export type Pairs = [number | null, number | null][];

export type Ratio = {
  median: number | null;
  low: number | null;
  high: number | null;
  rounds: number;
  method: Method;
  /** How likely the ratio is to be as far from 1, either way, where the true one is 1. */
  p?: number;
};

/** A figure of a case and its mark. baseline: the case that it is compared with, the best at the same point; absent of the best itself, and where it is not compared. */
export type Comparison = {
  figure: ComparedName;
  case: string;
  baseline?: string;
  mark: Mark;
  values?: Pairs;
};

/** From the server's manifest; absent without one. concurrent: connections it serves at once, as started; by: what it has one of for each of them; processes: copies of the model, where there are several; descriptors: that a process may have, where they are why. */
export type ServerModel = {
  language: string;
  model: string;
  concurrent: number | 'unbounded';
  by?: 'threads' | 'processes';
  processes?: number;
  descriptors?: number;
};

/** Absent: TCP, or a Unix socket. */
export type LegTransport = 'sctp' | 'sctp-seqpacket' | 'udp';

/** Of SCTP, on both sides: the kernel's, or usrsctp in user space over UDP. */
export type SctpStack = 'kernel' | 'usrsctp';

/** The CPUs of each side, as taskset writes them; null: all. */
export type LegPin = {
  client: string | null;
  server: string | null;
};

/** Commands that the server and the workers ran under; absent without any. */
export type Wrap = {
  server?: string;
  client?: string;
};

export type LegSummary = {
  id: string;
  label: string;
  /** Name of the server, the command, or host:port. */
  server: string;
  serverModel?: ServerModel;
  /** In a sweep, and with `compareAt`: the label of the server alone. */
  series?: string;
  axes: Axes;
  comparedAt?: number;
  /** Of a test, a sweep or `compareAt`: keys of the resolved scenario that differ in this leg, as in plan.json. */
  settings?: Record<string, any>;
  /** Id of its case; the same in every round. */
  case?: string;
  round: number;
  /** How the engine moved bytes: epoll, io_uring or usrsctp. */
  io?: string;
  transport?: LegTransport;
  stack?: SctpStack;
  pin?: LegPin;
  wrap?: Wrap;
  targets: string[];
  /** Name of the host that an agent started the server on; absent if that was the controller's, or if the server was running already. */
  serverAgent?: string;
  complete: boolean;
  endedBy: EndedBy;
  /** Figures of the leg that contradict each other. The client has miscounted, and the leg is incomplete. */
  imbalances?: Warning[];
  /** The condition of stopOn that ended the leg: for how long it had to hold, and when that was reached. */
  stopped?: {
    condition: string;
    forNs: number;
    atNs: number;
  };
  /** Why the leg is incomplete; absent if it is complete. */
  failure?: Warning;
  /** Start of the leg, in ns since the run's t0. */
  startNs?: number;
  /** Checks of the measurement that failed, and what was found in it. Absent in a leg without samples. */
  findings?: Finding[];
  warnings: Warning[];
  /** Connections are not reopened after their lifetime, so the number open at one moment says little. */
  reopens?: false;
  /** Connections were closed and reopened as planned all the time, so the number open at one moment says little. connections.openedLastSecond: of unansweredAtEnd, those for which no reply was due yet. */
  churns?: true;
  slices?: LegSlices;
  /** Connections were held, and no request was sent on them. */
  heldOnly?: true;
  /** The hosts that the workers were on; absent where that was the controller's own. */
  agents?: Agent[];
  /** Of a server with several, or of several targets; absent otherwise. */
  instances?: Instance[];
  /** When the phases began, in ns since the start of the leg. */
  phases?: {
    warmupFromNs?: number;
    steadyFromNs?: number;
    steadyToNs?: number;
    endNs: number;
  };
  /** requested: slots, the most along a profile; requestedAtEnd: along a profile, the number at the end of the steady state. openAtEnd, unansweredAtEnd: in the last sample before the drain. neverAnswered: opened and not answered, not even in the drain. lostWithWorker: lost because a worker died; neither lost nor an error. */
  connections?: {
    requested: number;
    requestedAtEnd?: number;
    peakOpen: number;
    openAtEnd: number;
    opened: number;
    reopened: number;
    lost: number;
    lostWithWorker?: number;
    unansweredAtEnd: number;
    openedLastSecond?: number;
    neverAnswered: number;
  };
  /** What became of the connections requested, at the end of the steady state: the parts add up to requested. served: open, with a reply on its connection (churns: also between two connections; once: closed after its reply; a leg that is done: closed after the last transfer). unanswered: open, no reply to its first request. idle: open, no request sent. connecting: an attempt in flight. rejected: waits to try again after a reject. lost: waits to be reopened after an error. queued: waits for its turn under connectRate, or for its worker. closed: as planned, or with a worker of the client that died and was not yet replaced. leaving: still open though a profile no longer requests them; then the parts add up to requested + leaving. Absent in runs made before it was recorded. */
  account?: {
    requested: number;
    served: number;
    unanswered: number;
    idle: number;
    connecting: number;
    rejected: number;
    lost: number;
    queued: number;
    closed: number;
    leaving?: number;
  };
  /** total = opened + rejected + abandoned (in flight when the leg ended). */
  attempts?: {
    total: number;
    opened: number;
    rejected: number;
    abandoned: number;
  };
  rejects?: Rejects;
  errors?: Errors;
  /** Whole replies by kind (http: 2xx, 3xx, 4xx, 5xx; redis, memcached, nats: ok, miss, error); total equals transfers.count. Absent if none came, or if the protocol has no kinds. */
  statuses?: Causes;
  /** Transfers of the whole leg. bytesSent, bytesReceived: of requests, replies and control messages, over TLS without its overhead; of a send that broke off, the bytes that the kernel had taken (over TLS: in whole buffers of up to 64 KiB). due, late, unsent: of an open loop; strays: over UDP; as in steady. */
  transfers?: {
    count: number;
    failed: number;
    unfinished: number;
    bytesSent: number;
    bytesReceived: number;
    due?: number;
    late?: number;
    unsent?: number;
    strays?: number;
  };
  /** The warm-up between ramp and steady state, part of neither; absent without one. */
  warmup?: {
    fromNs: number;
    toNs: number;
    transfers: number;
  };
  /** The steady state. Absent if the leg ended before it. */
  steady?: Figures;
  /** All phases; only with workload once, where each connection has one transfer whenever it was opened. */
  wholeLeg?: Figures;
  /** The ramp or warm-up of a leg that ended before its steady state; absent with workload once. */
  beforeSteady?: Figures;
  /** Absent without a ramp of three steps, and with workload once. */
  ramp?: {
    steps: Step[];
    /** The first step of the stage (neighbouring steps of three seconds or more together; the last one includes the steady state) from which on every stage meets at least one rule beyond what its scatter explains: throughput below 90 % of the best stage so far; responseTime: p99 above 3 x open / throughput and twice the least multiple so far; failures: unanswered (except those opened in the last second), rejects, errors, connects delayed by another SYN and undecided attempts above 0.1 % of requested; slower (only with pause or heartbeat): p99 above 5 times that of the first stage. why: the rules that this stage meets. from: it may begin anywhere above this number of connections. perSecond, failures: of this stage. null: there is no knee. Absent: it is not determined. */
    knee?: null | {
      step: number;
      stage?: number;
      requested: number;
      from?: number;
      perSecond?: number;
      failures?: {
        [k: string]: number;
      };
      why: ('throughput' | 'responseTime' | 'failures' | 'slower')[];
      best: {
        step: number;
        perSecond: number;
      };
    };
    /** The share by which the throughput of a stage may be off, from the scatter of its seconds. */
    tolerance?: number;
    undetermined?: Undetermined;
  };
  /** From the attempt until TCP was connected, whether or not TLS succeeded after it. */
  connectTimeNs?: Times;
  /** Full TLS handshakes, from the first byte sent to the last one received. */
  handshakeTimeNs?: Times;
  /** Resumed TLS handshakes (tls.resume); absent if there was none. */
  resumptionTimeNs?: Times;
  /** Connects by the number of times that the SYN was sent again; atNs: when that is (tcp.synRetryNs of environment.json). Absent if no SYN was. */
  connectSteps?: {
    retry: number;
    atNs: number;
    connections: number;
  }[];
  /** From when a connection was lost until its slot was open again. */
  recoveryTimeNs?: Times;
  /** TCP's smoothed round-trip times of the connections sampled each second. An acknowledgement usually travels with the reply, so they include the server's time, up to the 40 ms or more after which the kernel acknowledges without one; the least is nearest to the network's. */
  rttNs?: Times;
  /** Readings of TCP_INFO over the leg, and those of connections that had retransmitted since they opened. */
  tcp?: {
    sampled: number;
    retransmitted: number;
  };
  /** Workers and primary together. */
  client?: {
    peakRssBytes: number;
  };
  /** What the server used. startRssBytes: before the first connection. contextSwitchesPerSecond: of all its threads, over the leg without its drain; absent with more than 64 threads, and where threads or processes came and went. */
  serverUse?: {
    peakRssBytes: number;
    startRssBytes?: number;
    threads: number;
    processes: number;
    contextSwitchesPerSecond?: {
      voluntary: number;
      involuntary: number;
    };
  };
  /** How near the server came to its limits. descriptors: of the process that had the fewest left, when it had; fullProcesses: the most processes that had at most 32 left at a time, or a tenth of the limit if that is less. listen: its TCP sockets on this machine; backlog, peakQueue: of the socket whose accept queue was fullest, when it was; drops: SYNs and handshakes dropped; dropsBeforeFull: those until the descriptors were used up. Absent where not known. */
  serverLimits?: {
    descriptors?: {
      limit: number;
      hardLimit?: number;
      peakUsed: number;
      fullProcesses: number;
    };
    listen?: {
      sockets: number;
      backlog: number;
      peakQueue: number;
      drops: number;
      dropsBeforeFull?: number;
    };
  };
  /** The side that was the limit for at least half of the steady state. */
  limitedBy?: 'client' | 'server' | 'machine' | 'none';
  /** Share of the steady state in which each side was the limit; the sum is 1. Absent without a steady state. */
  limitShares?: {
    machine: number;
    client: number;
    server: number;
    none: number;
  };
  /** The transfer log: rows written, rows missing, and its format. */
  log?: {
    rows: number;
    missing: number;
    kind: 'parquet' | 'arrow' | 'none';
  };
  /** Counters of the client's network namespace over the leg; of TcpMemPages, TcpTimeWait and TcpOrphans the highest reading. */
  kernel?: {
    [k: string]: number;
  };
  /** The same of the server's network namespace, if it is another one. */
  serverKernel?: {
    [k: string]: number;
  };
};
/** Of the steady state, where it took turns with other legs in slices. group, of, lengthNs, settleNs: as in plan.json; turnNs: for how long it had its turn; loadedNs: for how long of that its requests could begin, which its rates are over; transfers: those that ended in that time; late: those that ended in a slice of another leg; unloaded: ns in which other servers were loaded and the CPU time of this one was read at both ends, and cpuSeconds that it used meanwhile, absent where it was not read, as of a server with more than 64 processes. blocks: the figures that are compared, each over blocks of blockNs, of which every leg of the group has the same; null where one has no value. */
export type LegSlices = {
  group: number;
  of: number;
  lengthNs: number;
  settleNs: number;
  turnNs: number;
  loadedNs: number;
  transfers: number;
  late: number;
  unloaded?: {
    ns: number;
    cpuSeconds: number;
  };
  blockNs: number;
  blocks: {
    [k: string]: (number | null)[];
  };
};

/** Counters cover the span; gauges and tcp are those at its end. Times are in ns since the start of the leg, those of single transfers since the run's t0. A field is absent rather than zero where nothing was measured. */
export type Sample = {
  schema: 3;
  /** The second in which the span ends: ceil(toNs / 1e9). */
  second: number;
  phase: 'ramp' | 'warmup' | 'steady' | 'drain';
  fromNs: number;
  toNs: number;
  /** What happened in the span. due: requests that the schedule called for; late: of those, sent after waiting for a connection; unsent: of those, never sent (open loop). strays: datagrams of UDP that were not the next one of the reply awaited. lostWithWorker: open connections lost because a worker died. bytesSent counts a send when it is done or has broken off: then the bytes that the kernel had taken. */
  counters: {
    attempts: number;
    opened: number;
    reopened: number;
    lost: number;
    lostWithWorker: number;
    abandoned: number;
    transfers: number;
    failed: number;
    unfinished: number;
    bytesSent: number;
    bytesReceived: number;
    due: number;
    late: number;
    unsent: number;
    strays: number;
  };
  /** Attempts that did not open, by cause. */
  rejects: {
    refused: number;
    reset: number;
    timeout: number;
    unreachable: number;
    local: number;
    handshake: number;
    greeting: number;
    other: number;
  };
  /** What ended or invalidated an open connection, by cause. */
  errors: {
    reset: number;
    closed: number;
    timeout: number;
    corrupt: number;
    protocol: number;
    other: number;
  };
  /** Whole replies by kind (http: 2xx, 3xx, 4xx, 5xx; redis, memcached, nats: ok, miss, error). Only kinds that occurred; absent if none did, or if the protocol has no kinds. */
  statuses?: Counts;
  /** Transfers that were to be split by kernel timestamps and were not, by cause: the request is too large to leave at once (largeRequest), or the kernel did not take it at once (sendBlocked); other requests followed in the same send (sentTogether), or other bytes in the same read (readTogether), so that the stamp is not its own; a stamp was lost or merged with a later one (noSendStamp, noReplyStamp); the system's clock was set (clockStepped); the stamps contradict the transfer's times (outOfOrder). Only causes that occurred. */
  timestampsLeftOut?: Counts;
  /** State at the end of the span. unanswered: open connections whose first request has never been answered; openedLastSecond: of those, opened in the span; waiting: requests that are due and wait for a connection; peakOpen: most connections open at once in the span, summed over the workers; answered: open connections that have had a reply; lostBackingOff: of backingOff, slots whose connection was lost; renewing: of connecting, slots whose last connection was answered and closed as planned; withoutWorker: of requested, slots of a worker of the client that died and was not yet replaced, absent if none. */
  gauges: {
    requested: number;
    connecting: number;
    open: number;
    unanswered: number;
    backingOff: number;
    inFlight: number;
    neverAnswered: number;
    queued: number;
    openedLastSecond: number;
    waiting: number;
    peakOpen?: number;
    answered?: number;
    lostBackingOff?: number;
    renewing?: number;
    withoutWorker?: number;
  };
  histograms: {
    /** From when the request was due (open loop) or sent (closed loop) until the last byte of the reply. */
    responseTime: HistogramOrNull;
    /** From when the request was sent. Open loop only; in closed loop it equals responseTime. */
    serviceTime?: Histogram;
    /** Time from one request sent by a worker to its next. Open loop only. */
    sendGap?: Histogram;
    /** From the attempt until TCP was connected. */
    connectTime: HistogramOrNull;
    /** From the first byte of the TLS handshake sent to the last one received; full handshakes only. Absent without TLS. */
    handshakeTime?: Histogram;
    /** The same for resumed handshakes (tls.resume); absent if there was none. */
    resumptionTime?: Histogram;
    /** From when a connection was lost until its slot was open again. */
    recoveryTime: HistogramOrNull;
    /** TCP's smoothed round-trip time of up to 64 open connections per worker, drawn at random at the end of the span. */
    rtt: HistogramOrNull;
    /** Response times of the transfers that were split by kernel timestamps (timestamps); absent without any, as are their parts. */
    splitResponse?: Histogram;
    /** Of those: until the last byte of the request left for the network device. */
    sendDelay?: Histogram;
    /** ... from then until the last byte of the reply arrived at this host. */
    networkAndServer?: Histogram;
    /** ... from then until it was read. */
    receiveDelay?: Histogram;
    /** ... before all of these, from when the request was due until a connection was free. Open loop only. */
    connectionWait?: Histogram;
    /** ... connectionWait and networkAndServer together. Open loop only. */
    withoutClient?: Histogram;
    /** Transfers of each slot in the steady state. In a leg's last line only; absent if a worker was lost. */
    perConnection?: Histogram;
  };
  /** TCP_INFO of the connections in histograms.rtt: how many were read, how many of them have retransmitted since they opened, and how many retransmissions that were. */
  tcp: {
    sampled: number;
    retransmitted: number;
    retransmits: number;
  };
  /** Single transfers of the span: 50 at random and the 5 slowest. */
  transfers: {
    random: Rows;
    slowest: Rows;
  };
  /** cpuSeconds, rssBytes: workers and primary together; engineCpuSeconds, waitSeconds: engine threads, on a core and ready but waiting for one; busiestEngine: its share of a core, 0 to 1; workers: how many reported; engines: the same shares (cpu, wait) for each worker's engine thread; with its number in the worker (engine) if each has several. */
  client: {
    cpuSeconds: number;
    engineCpuSeconds: number;
    waitSeconds: number;
    rssBytes: number;
    workers: number;
    busiestEngine: number;
    engines: Engines;
  };
  /** Null if the server's processes are unknown. busiestThread: share of a core; processCpu: share of a core of each process, largest first, at most 32. */
  server: null | {
    cpuSeconds: number;
    waitSeconds?: number;
    rssBytes: number;
    /** Before the first connection. In a leg's first line only. */
    startRssBytes?: number;
    threads: number;
    processes: number;
    /** In the span, of all threads. Absent with more than 64 threads, and where a thread ended in the span. */
    contextSwitches?: {
      voluntary: number;
      involuntary: number;
    };
    busiestThread?: number;
    /** Of the process that has the fewest left: those in use, its limit, and how far it may raise that itself. full: processes with at most 32 left, or a tenth of the limit if that is less: many servers keep some. Absent where it may not be read. */
    descriptors?: {
      used: number;
      limit: number;
      hardLimit?: number;
      full: number;
    };
    processCpu?: number[];
  };
  machine: {
    /** Busy share of each core, 0 to 1. */
    busy: number[];
  };
  /** The machine that an agent started the server on; absent if that is the client's. busy: busy share of each core, 0 to 1. */
  serverMachine?: {
    busy: number[];
  };
  /** Counters of the client's network namespace, which is also the server's unless serverKernel is present. */
  kernel: Kernel;
  /** Counters of the server's network namespace, if it is another one. */
  serverKernel?: Kernel;
  /** The server's listening TCP sockets, if they are in the client's network namespace, or an agent started the server. backlog, queue: of the one whose accept queue is fullest at the end of the span: the most connections that may wait, and those that do. drops: SYNs and handshakes that all of them dropped in the span. */
  listen?: {
    sockets: number;
    backlog: number;
    queue: number;
    drops: number;
  };
  /** From, to (ns): the longest time in which all workers awaited replies and none came; it may have begun before the span, and is a lower bound. Absent below 50 ms. */
  quiet?: [number, number];
  /** Where legs take turns in slices. turnNs: for how long of the span this leg had its turn; loadedNs: for how long of that its requests could begin; transfers: those of counters.transfers that ended in that time; late: those that ended in a slice of another leg. */
  slices?: {
    turnNs: number;
    loadedNs: number;
    transfers: number;
    late: number;
  };
  /** Where legs take turns in slices: ns of the steady state in which other servers were loaded and the CPU time of this one was read at both ends; cpuSeconds: that it used meanwhile. Absent where it was not read. */
  unloaded?: {
    ns: number;
    cpuSeconds: number;
  };
  /** Times that a gauge would have become negative, because the client miscounted; the leg is inconsistent. Absent if none. */
  gaugesBelowZero?: number;
  /** Number of worker intervals in this sample that span several seconds because the worker's JavaScript did not run meanwhile; absent if none do. */
  mergedIntervals?: number;
  /** Counts of each instance of the server, if it has several; rejects and errors of all causes, open and unanswered at the end of the span. */
  instances?: {
    opened: number;
    lost: number;
    transfers: number;
    failed: number;
    unfinished: number;
    bytesSent?: number;
    bytesReceived?: number;
    rejects: number;
    errors: number;
    open: number;
    unanswered: number;
    responseTime: HistogramOrNull;
    /** CPU time of its server process; absent where it is not known. */
    serverCpuSeconds?: number;
  }[];
  /** Counts of each agent, in the order of the plan, if the workers are on agents; rejects and errors of all causes, open and unanswered at the end of the span; cpuSeconds, rssBytes: of its workers. machine.busy is then empty, and kernel too. */
  agents?: {
    opened: number;
    lost: number;
    transfers: number;
    failed: number;
    unfinished: number;
    bytesSent?: number;
    bytesReceived?: number;
    rejects: number;
    errors: number;
    open: number;
    unanswered: number;
    responseTime: HistogramOrNull;
    cpuSeconds: number;
    rssBytes: number;
  }[];
  /** What limited throughput in the span. */
  limitedBy: 'client' | 'server' | 'machine' | 'none';
};

export type Engines = {
  worker: number;
  engine?: number;
  cpu: number;
  wait: number;
}[];

/** Increments of kernel counters by group and name. TcpMemPages, TcpTimeWait and TcpOrphans are current values; TcpExtTCPMemoryPressuresChrono is in ms. */
export type Kernel = {
  [k: string]: number;
};

export type Counts = {
  [k: string]: number;
};

export type HistogramOrNull = null | Histogram;

/** In ns (perConnection: transfers). count, min, max and mean are exact; hdr is an HdrHistogram V2, compressed, in base64: lowest value 1, highest 3.6e12, 3 significant digits. */
export type Histogram = {
  count: number;
  min: number;
  max: number;
  mean: number;
  p50: number;
  p90: number;
  p99: number;
  p99_9: number;
  hdr: string;
};

export type Rows = [number, number, number, number][];
