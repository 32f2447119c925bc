import { isRecord, type RpcCall, unwrap } from '../chain/rpc/envelope.ts'
import { hexQuantity } from '../chain/rpc/quantities.ts'
import { type Address, EvmAddress, type Hex, HexData } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { advice, sameWith } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import { hostOf, namedOnce, postJson } from '../http/client.ts'
import { newDispatcher } from '../http/dispatcher.ts'
import { createRedactor } from '../http/redaction.ts'
import { secretUrlParts } from '../http/secret-url-parts.ts'
import type { KeyHolder } from './signer.ts'

/** An external signer that speaks JSON-RPC, and the account to use; `null` is its only one. */
export type ExternalChoice = { url: string; wallet: Address | null }

/** How long a signer may take, in ms: to list its accounts, and to sign, for which it may ask a person. */
export type ExternalTimeouts = { readMs: number; signMs: number }

const defaultTimeouts: ExternalTimeouts = { readMs: 15_000, signMs: 180_000 }

/** Larger than any signed transaction or list of accounts. */
const maxAnswerBytes = 262_144

/**
 * Opens a key at an external signer (web3signer, Frame, a bridge to a device). It sends `eth_accounts` and `eth_signTransaction`,
 * each once, and nothing that broadcasts. The caller verifies the result, as for any key.
 */
export async function openExternal(
  { url, wallet }: ExternalChoice,
  tell: (line: string) => void,
  patience: ExternalTimeouts = defaultTimeouts,
): Promise<KeyHolder> {
  refuseInsecureUrl(url)
  const host = hostOf(url)
  const secrets = secretUrlParts(url)
  const dispatcher = newDispatcher()
  let last = 0
  const ask = async (method: string, params: readonly unknown[], deadlineMs: number): Promise<unknown> => {
    const call: RpcCall = { jsonrpc: '2.0', id: ++last, method, params }
    const options = { dispatcher, deadlineMs, maxBytes: maxAnswerBytes }
    const hide = secrets.length > 0 && { hide: createRedactor(secrets, '[secret of the signer URL]') }
    try {
      const { status, body } = await postJson(url, call, { ...options, ...hide })
      if (!isRecord(body)) throw unusableError(host, `answers with HTTP status ${status} and no JSON-RPC`)
      return unwrap(host, body, call)
    } catch (error) {
      throw signerError(host, method, error)
    }
  }
  const address = chooseAccount(host, await ask('eth_accounts', [], patience.readMs), wallet)
  return {
    address,
    signTransaction: async ({ to, data, value, chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas }) => {
      tell(`The signer at ${host} is asked to sign; if it asks you, confirm there`)
      const transaction = {
        type: '0x2',
        from: address,
        to,
        data,
        value: hexQuantity(value),
        chainId: hexQuantity(BigInt(chainId)),
        nonce: hexQuantity(BigInt(nonce)),
        gas: hexQuantity(gas),
        maxFeePerGas: hexQuantity(maxFeePerGas),
        maxPriorityFeePerGas: hexQuantity(maxPriorityFeePerGas),
      }
      const said = await ask('eth_signTransaction', [transaction], patience.signMs)
      // A node that signs returns the bytes together with the decoded transaction.
      const raw = HexData.safeParse(isRecord(said) ? said.raw : said)
      if (raw.success && raw.data.length > 2) return raw.data.toLowerCase() as Hex
      throw unusableError(host, 'answers with something that is not a signed transaction')
    },
  }
}

/** Refuses a URL on which requests could be read or changed in transit: only https, or a signer on this machine. */
function refuseInsecureUrl(url: string): void {
  const { protocol, hostname = '' } = URL.parse(url) ?? {}
  if (protocol === 'https:') return
  if (protocol === 'http:' && /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname)) return
  throw new AppError('USAGE', 'The signer URL must be https, or http on this machine', {
    next: sameWith({ '--signer-url': 'http://127.0.0.1:9000' }),
  })
}

const unusableError = (host: string, what: string, cause?: unknown): AppError =>
  signerFault(`The signer at ${host} ${what}`, cause)

const signerFault = (message: string, cause?: unknown): AppError =>
  new AppError('KEY_SOURCE', message, {
    cause,
    next: 'Check that it runs, has the key loaded and signs for this chain. Then run the same command again.',
  })

/** The error of a signer: rejected by the person (EIP-1193, 4001), unsupported method, or other. */
function signerError(host: string, method: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code === 'KEY_SOURCE') return error
  if (error.code !== 'RPC_ERROR') {
    const { fault } = error.details ?? {}
    if (fault === 'deadline') return unusableError(host, `did not answer ${method} in time`, error)
    if (fault === 'unreachable') return unusableError(host, 'cannot be reached', error)
    return signerFault(namedOnce('The signer', host, sanitizeText(error.message)), error)
  }
  const { code, message } = error.details ?? {}
  if (code === 4001)
    return new AppError('DECLINED', `The request was rejected at the signer at ${host}`, {
      cause: error,
    })
  if (code === -32601 || code === 4200)
    return unusableError(host, `does not support ${method}; a signer that only sends is not used`, error)
  return unusableError(host, `refuses ${method}: ${sanitizeText(String(message))}`, error)
}

function chooseAccount(host: string, said: unknown, wallet: Address | null): Address {
  const read = Array.isArray(said) ? said.map((one) => EvmAddress.safeParse(one).data) : [undefined]
  const accounts = read.filter((one) => one !== undefined)
  if (accounts.length < read.length) throw unusableError(host, 'returns accounts that are not addresses')
  const [only, ...others] = accounts
  if (wallet !== null) {
    if (accounts.includes(wallet)) return wallet
    throw new AppError('KEY_SOURCE', `The signer at ${host} has no key of ${wallet}`, {
      next: only === undefined ? 'Load a key into it.' : `It has: ${accounts.slice(0, 5).join(', ')}`,
    })
  }
  if (only === undefined) throw unusableError(host, 'returns no account')
  if (others.length === 0) return only
  throw new AppError('KEY_REQUIRED', `The signer at ${host} has ${accounts.length} accounts`, {
    next: advice`Choose one: ${sameWith({ '--wallet': only })}`,
  })
}
