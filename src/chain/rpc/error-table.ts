import type { SendErrorClass } from '../../store/journal/send-answer.ts'

/** The fields of a node's error that decide what it means. */
export type NodeErrorBody = { code?: unknown; message?: unknown; data?: unknown }

/**
 * What an error to a read means. `execution`: the executed code failed. `busy`: a rate limit or an overload. `temporary`: a failure of
 * the node or its gateway. `internal`: such a failure without a cause, which a node may also give for what it never answers. `missing`: the
 * node does not hold the block or state. `crashed`: an internal error in other words. `other`: an answer about the call itself.
 * `unknown`: words that no table has. All but `execution` and `other` may be answered by another endpoint.
 */
export type ReadErrorClass =
  | 'execution'
  | 'busy'
  | 'temporary'
  | 'internal'
  | 'missing'
  | 'crashed'
  | 'other'
  | 'unknown'

/** A row of a table: what the words mean, or the codes if no words of another row match. */
type Row<Class> = { is: Class; words?: RegExp; codes?: readonly number[] }

/** The failures of the executed code. Code 3: geth. */
const execution = {
  is: 'execution',
  codes: [3],
  words:
    /revert|execution (fail|error)|bad ?jump|opcode|out ?of ?gas|stack ?(under|over)|bad ?instruction|invalid ?jump|vm execution/i,
} as const satisfies Row<ReadErrorClass>

/** A failed execution at Nethermind and OpenEthereum, and a node that did not answer at the gateways of erpc: then the words say so. */
const executionOrTimeout = -32015

const rateLimit =
  /\brate\b|(per |\/)(second|minute|hour|day)\b|\brps\b|too many (requests?|connections)\b|(request|call|plan|api|capacity) limit|retry (in|after)|throttl|quota|credits|compute units|reached the free tier/i

/** A gateway that has no node at the moment, or none for this caller. */
const unavailable =
  /must be authenticated|(missing|invalid) (api key|project id)|usage limit|cannot fulfill request|(endpoint|service|network|gateway)\b.* no longer available|over.?capacity|capacity exceeded|backend (is )?(offline|currently not healthy)|no backend|gateway timeout|temporarily unavailable|too much load/i

/** A limit of calls in a short time, which passes by itself. */
const shortTime = /second|minute|\brps\b|(\/ ?|\bper )(s|sec|min)\b|retry (in|after) ?\d/i

/** A quota of a day or a month that is used up: waiting for a second does not help. */
const spent =
  /(daily|monthly)\b.{0,30}(request|call|usage|quota|limit|credit|compute|count|capacity)|(quota|credits?).{0,40}(exceeded|exhausted|used up|reached|spent)|(exceeded|exhausted|used up|out of|reached) .{0,40}(daily|monthly|quota|credits?)|(per |\/ ?)(day|month)\b/i

/** Whether a text says that a quota is used up, which does not pass in the time of a command. */
export const isQuotaUsedUp = (words: string): boolean => spent.test(words) && !shortTime.test(words)

/** A transaction that a node or its provider does not take, whatever its nonce and fee. */
const barredWords =
  /(transaction|tx) ?type\b.*(not (supported|valid|accepted|allowed|enabled)|unsupported|invalid)|(unsupported|invalid|unknown|disallowed) (transaction|tx) ?type|(1559|7702|2930|access.?list|blob|set.?code|dynamic fee) (transactions?|txs?) (are |is )?(not |un)(supported|permitted|allowed|enabled|accepted)|(transactions?|tx|sender|address|contract|method|request)\b.*(blocked|denied|forbidden|prohibited|not allowed|rejected|violates).*(polic|sanction|compliance|blocklist|blacklist|provider|rule)|(polic(y|ies)|sanctions?|compliance|blocklist|blacklist)\b.*(block|den(y|ied)|forbid|prohibit|not allow|reject|violat|transaction)|sanctioned address|(is|are) (blacklisted|blocklisted|sanctioned)|on (a|the) (sanctions?|block|black) ?list/i

const missing =
  /missing trie node|(header|block|hash).* (not|could not be) found|unknown block|block.?out.?of.?range|no state available|(state|history|data)\b.*(not available|unavailable|pruned)|pruned (history|state|data)|maximum proof window/i

const temporary =
  /time.?out|timed out|deadline exceeded|context cancell?ed|temporary|(please|and) (retry|try again)|try again later|no (response|answer) from|no (available|healthy|suitable) |(can'?t|cannot) route|upstream (error|connect|request|failure)|bad gateway|service unavailable|overloaded|server (is )?(too )?busy|connection (refused|reset|closed)|unexpected eof|sync is still in progress|not (yet )?in sync/i

/**
 * The errors to reads: the first row whose words match, or else the first whose codes match. Sources: EIP-1474; the errors of go-ethereum,
 * Erigon, Nethermind, Besu, Reth and OpenEthereum; proxyd (in front of Base and Optimism) and Cloudflare (-32046); the error pages of
 * dRPC (19, 21, 26, 30, 4444, -33000), QuickNode, Alchemy, Infura and Blast; the error lists of erpc.
 */
const readErrors: readonly Row<ReadErrorClass>[] = [
  { is: 'busy', words: rateLimit, codes: [429, 4444, -33000] },
  { is: 'busy', words: unavailable },
  // Besu uses that code for a nonce, and gateways for methods that they do not pass on.
  { is: 'missing', words: missing, codes: [-32001] },
  { is: 'temporary', words: temporary, codes: [19, 21, 26, 30, -32002] },
  { is: 'internal', words: /^internal (server |json-?rpc )?error\W*$/i },
  { is: 'crashed', codes: [-32603] },
]

/**
 * The errors to broadcasts, the first match decides. Sources: the errors of go-ethereum, bor, coreth, Erigon, Nethermind, Besu, Reth,
 * OpenEthereum, anvil, Nitro and other sequencers, as the error lists of chainlink-evm and the sources of these clients give them.
 */
const sendErrors: readonly (readonly [SendErrorClass, RegExp])[] = [
  ['under', /same nonce|OwnNonceAlreadyUsed/i],
  [
    'known',
    /already[ _]?known|already ?(been )?(imported|exists|finalized)|already in (the )?(tx ?)?(pool|mempool|system|cache|queue)|\bknown transaction|existing txn? with same hash|^mined$/i,
  ],
  ['low', /nonce (is )?too low|nonce already used|invalid (transaction )?nonce|oldnonce|Pool\(Stale\)/i],
  [
    'high',
    /nonce (is )?too (high|distant)|nonce ?gap|gapped.?nonce|lower nonce exists|future transaction tries to replace/i,
  ],
  ['dear', /exceeds the configured cap|transaction fee cap exceeded/i],
  ['under', /replacement|replace existing|replaced by/i],
  ['fee', /max ?fee ?per ?gas (is )?(less|too low)|(less than|below) (the )?(block|current|min) base fee/i],
  [
    'gas',
    /gas ?limit|intrinsic ?gas|block gas|floor data gas|transaction gas is too low|gas is beyond limit|gas ?uint ?(64 )?overflow|exceeds current gas/i,
  ],
  [
    'funds',
    /(insufficient|not enough|lack of)[ _]?(payer[ _])?(funds|balance)|upfront cost|overdra(ft|ws)|enough funds/i,
  ],
  [
    'cheap',
    /underpriced|fee ?too ?low|insufficient fee|unacceptable gas price|try increasing the fee|(fee|price|tip|gas) .*(too low|below|minimum)|minimum .*(gas price|fee|tip)/i,
  ],
  ['fee', /fee ?cap/i],
  ['chain', /chain ?id/i],
]

/** What passes by itself, in words that may stand beside those of a refusal for good. */
const passes = (words: string): boolean =>
  [shortTime, temporary, unavailable, /pending|syncing|pool (is )?full|overload/i].some((one) =>
    one.test(words),
  )

/** Whether the words of an error to a broadcast refuse it for good. */
const isBarred = (words: string): boolean =>
  isQuotaUsedUp(words) || (barredWords.test(words) && !passes(words))

const matchesWords = ({ words }: Row<unknown>, said: NodeErrorBody): boolean =>
  words?.test(String(said.message)) === true

const matchesCode = ({ codes }: Row<unknown>, said: NodeErrorBody): boolean =>
  codes?.some((code) => code === said.code) === true

/** Whether an error says that the executed code failed, and not that the node could not execute it. */
export const isExecutionErrorBody = (said: NodeErrorBody): boolean =>
  matchesCode(execution, said) ||
  matchesWords(execution, said) ||
  (said.code === executionOrTimeout && !readErrors.some((row) => matchesWords(row, said)))

/** A number of calls in a short time, which passes by itself; `limit exceeded` alone may be about something else. */
const tooFast =
  /(per |\/ ?)s(ec(ond)?)?\b|\brps\b|\brate[ -]?limit|too many requests|requests? limit|throttl|slow down|retry (in|after)/i

/** Whether an error refuses a call because of the rate: fewer calls a second pass. Its codes: QuickNode, Alchemy, Infura (-32005), dRPC. */
export const isTooFast = (said: NodeErrorBody): boolean =>
  !isExecutionErrorBody(said) &&
  !/^0x/.test(String(said.data)) &&
  !isQuotaUsedUp(String(said.message)) &&
  (tooFast.test(String(said.message)) || said.code === 429 || isLimitCode(said))

/** Whether a text is about a rate limit. */
export const isRateLimitText = (words: string): boolean => rateLimit.test(words)

/** EIP-1474: a limit. Besu uses that code for "too large", and a simulation for a fee that is too low. */
const isLimitCode = ({ code, message }: NodeErrorBody): boolean =>
  code === -32005 && !/batch|gas|fee|range|size|block/i.test(String(message))

/**
 * Whether an error is about the call itself, by its code (EIP-1474): an unknown or unsupported method, invalid parameters, and the refusals
 * of blocks by `eth_simulateV1`.
 */
const isOfCall = ({ code }: NodeErrorBody): boolean =>
  [-32601, -32602, -32004].includes(Number(code)) || (Number(code) <= -38_000 && Number(code) > -39_000)

/**
 * What an error to a read means. A contract's data makes it an answer. A refusal of logs may be about their number, also where the node
 * ran out of time: that is an answer, too, because a smaller range helps.
 */
export function readErrorClass(said: NodeErrorBody, method: string): ReadErrorClass {
  if (isExecutionErrorBody(said)) return 'execution'
  if (/^0x/.test(String(said.data))) return 'other'
  const found =
    readErrors.find((row) => matchesWords(row, said))?.is ??
    (isLimitCode(said) ? 'busy' : readErrors.find((row) => matchesCode(row, said))?.is) ??
    (isOfCall(said) ? 'other' : 'unknown')
  // Besu refuses a signature with that code.
  if (/^eth_send/.test(method) && said.code === -32002 && !temporary.test(String(said.message)))
    return 'other'
  if (method !== 'eth_getLogs') return found
  if (found === 'internal') return 'crashed'
  return found === 'busy' ||
    found === 'unknown' ||
    /time|range|results?\b|logs?\b|large/i.test(String(said.message))
    ? 'other'
    : found
}

/** What the words of an error to a broadcast mean; `undefined` if they name no cause. */
export const sendErrorClass = (words: string): SendErrorClass | undefined =>
  sendErrors.find(([, pattern]) => pattern.test(words))?.[0] ?? (isBarred(words) ? 'barred' : undefined)
