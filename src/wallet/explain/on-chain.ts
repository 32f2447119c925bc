import { parseAbi } from 'viem/utils'

import { strictDecode } from '../../calls/decode.ts'
import { type Address, EvmAddress, type Hex } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { type Network, sandboxNetworks } from '../../domain/network.ts'
import { publicNetworks } from '../../domain/networks.ts'
import { type Token, tokenAt } from '../../domain/token.ts'
import { quantity } from '../../net/quantity.ts'
import { type Ended, hasSucceeded } from '../../net/receipt.ts'
import type { Rpc } from '../../net/rpc.ts'
import { within } from '../chain/within.ts'
import { finalityOf } from '../execution/finality.ts'
import { refuseBroken, type Shown } from '../execution/pinned.ts'
import type { Ground } from '../ground.ts'
import { contractName } from '../guard/contract-names.ts'

/** What the call of a transaction is for, as a sentence without its subject; `spender` may take something by it, and `null` is nobody. */
type Deed =
  | { is: 'payment' | 'call'; does: string }
  | { is: 'approval'; does: string; spender: Address | null }

/** A transaction as its network shows it; `block` is `null` while it waits, `at` in epoch ms; `isFinal` where all endpoints that answer show it so, deep enough. */
export type OnChain = {
  network: Network
  from: Address
  nonce: number
  deed: Deed
  block: { number: number; at: number; succeeded: boolean; isFinal: boolean } | null
}

type Told = Shown & { hash: Hex; from: Hex; nonce: string; blockNumber?: string | null }

/** A network that does not say whether it has a transaction, because it did not answer or because there is no RPC for it here. */
export type Silent = { name: string; hasRpc: boolean }

/** The transaction of a hash on whichever of the networks has it; `silent` are those that do not say. */
export async function onChain(
  ground: Ground,
  hash: Hex,
): Promise<{ found: OnChain | undefined; silent: Silent[] }> {
  const answers = await Promise.all(
    everyNetwork(ground).map(async (network) => ({
      name: network.name,
      answer: await within(shownBy(ground, network, hash).catch(unsaid)),
    })),
  )
  return {
    found: answers.map(({ answer }) => answer).find((answer) => answer && answer !== 'no RPC') as
      | OnChain
      | undefined,
    silent: answers.flatMap(({ name, answer }) =>
      answer === undefined || answer === 'no RPC' ? [{ name, hasRpc: answer === undefined }] : [],
    ),
  }
}

/** Every network that this version serves, with or without an RPC here; of the embedded ones, which no public one stands beside, these. */
function everyNetwork({ catalog: { networks } }: Ground): readonly Network[] {
  const isIn = (some: readonly Network[]) => (one: Network) =>
    some.some(({ chainId }) => chainId === one.chainId)
  const isSandbox = networks.length > 0 && networks.every(isIn(sandboxNetworks))
  const others = (isSandbox ? sandboxNetworks : publicNetworks).filter((one) => !isIn(networks)(one))
  return [...networks, ...others]
}

/** That a network does not say: `undefined` where its node gives nothing that can be used. */
function unsaid(error: unknown): 'no RPC' | undefined {
  if (!(error instanceof AppError)) throw error
  if (error.code === 'CONFIG_INVALID' || error.code === 'UNKNOWN_NETWORK') return 'no RPC'
  if (error.code.startsWith('RPC_') || error.code === 'CHAIN_ID_MISMATCH') return undefined
  throw error
}

async function shownBy(ground: Ground, network: Network, hash: Hex): Promise<OnChain | null> {
  const node = ground.rpc(network.chainId)
  const told = await node.request<Told | null>('eth_getTransactionByHash', [hash])
  if (told === null) return null
  const from = EvmAddress.safeParse(told.from)
  if (String(told.hash).toLowerCase() !== hash.toLowerCase() || !from.success)
    throw new AppError('RPC_INCONSISTENT', `The node at ${node.host} shows another transaction`)
  refuseBroken(told)
  const receipt = await node.request<(Ended & { blockNumber: string; blockHash: string }) | null>(
    'eth_getTransactionReceipt',
    [hash],
  )
  // A transaction that is in a block waits for nothing, and without its receipt nobody knows how it ended.
  if (!receipt && told.blockNumber)
    throw new AppError(
      'RPC_INCONSISTENT',
      `The node at ${node.host} shows ${hash} in a block, and no receipt of it`,
      {
        details: { host: node.host, hash },
      },
    )
  const block =
    receipt &&
    (await node.request<{ timestamp?: string } | null>('eth_getBlockByNumber', [receipt.blockNumber, false]))
  const ok = receipt ? await hasSucceeded(node, receipt) : false
  return {
    network,
    from: from.data,
    nonce: Number(quantity(told.nonce, 'the nonce')),
    deed: deedOf(told, network, ground.catalog),
    block: receipt && {
      number: Number(quantity(receipt.blockNumber, 'the block')),
      at: Number(quantity(block?.timestamp, 'the time of the block')) * 1000,
      succeeded: ok,
      isFinal: await isFinal(node, network, { hash, ok, receipt }),
    },
  }
}

/** How long other endpoints have to say whether they show the same, in ms: a person waits. */
const peersMs = 3_000

async function isFinal(
  node: Rpc,
  { depth }: Network,
  { hash, ok, receipt }: { hash: Hex; ok: boolean; receipt: { blockNumber: string; blockHash: string } },
): Promise<boolean> {
  const blockNumber = Number(quantity(receipt.blockNumber, 'the block'))
  const shown = { blockNumber, blockHash: String(receipt.blockHash), by: node.host, hash, ok }
  return (await finalityOf(node, shown, { wanted: depth, usual: depth }, peersMs)).deep
}

const payments = parseAbi([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
])

/** What a transaction does, as far as its call alone says so. */
function deedOf(
  { to, input, value }: Shown,
  { chainId, native }: Network,
  catalog: Ground['catalog'] & { tokens: readonly Token[] },
): Deed {
  if (to === null) return { is: 'call', does: 'makes a contract' }
  const carried = formatAmount(quantity(value, 'its value'), native)
  if (input === '0x') return { is: 'payment', does: `sends ${carried} to ${to}` }
  const token = tokenAt(catalog.tokens, chainId, to)
  const call = token && strictDecode(payments, input)
  if (token && call) {
    const [who, units] = call.args
    const amount = formatAmount(units, token)
    return call.functionName === 'transfer'
      ? { is: 'payment', does: `sends ${amount} to ${who}` }
      : { is: 'approval', does: `lets ${who} take ${amount}`, spender: units === 0n ? null : who }
  }
  const target = EvmAddress.safeParse(to)
  const name = target.success ? contractName(catalog, chainId, target.data) : null
  return { is: 'call', does: `calls ${name === null ? to : `${name} (${to})`} with ${carried}` }
}
