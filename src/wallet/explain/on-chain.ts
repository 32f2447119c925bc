import { parseAbi } from 'viem/utils'

import { strictDecode } from '../../calls/decode.ts'
import { type Address, EvmAddress, type Hex } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/network.ts'
import { type Token, tokenAt } from '../../domain/token.ts'
import { quantity } from '../../net/quantity.ts'
import { type Ended, hasSucceeded } from '../../net/receipt.ts'
import type { Rpc } from '../../net/rpc.ts'
import { ifAnswered, within } from '../chain/within.ts'
import { finalityOf } from '../execution/finality.ts'
import { refuseBroken, type Shown } from '../execution/pinned.ts'
import type { Ground } from '../ground.ts'
import { contractName } from '../guard/contract-names.ts'

/** A transaction as its network shows it. `does` is a sentence without its subject; `block` is `null` while it waits, `at` in epoch ms; `isFinal` where all endpoints that answer show it so, deep enough. */
export type OnChain = {
  network: Network
  from: Address
  nonce: number
  does: string
  block: { number: number; at: number; succeeded: boolean; isFinal: boolean } | null
}

type Told = Shown & { hash: Hex; from: Hex; nonce: string; blockNumber?: string | null }

/** The transaction of a hash on whichever of the networks has it; `silent` are the names of those that do not say. */
export async function onChain(
  ground: Ground,
  hash: Hex,
): Promise<{ found: OnChain | undefined; silent: string[] }> {
  const { networks } = ground.catalog
  const answers = await Promise.all(
    networks.map(async (network) => ({
      network,
      answer: await within(ifAnswered(shownBy(ground, network, hash))),
    })),
  )
  return {
    found: answers.find(({ answer }) => answer)?.answer ?? undefined,
    silent: answers.flatMap(({ network, answer }) => (answer === undefined ? [network.name] : [])),
  }
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
    does: deedOf(told, network, ground.catalog),
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
): string {
  if (to === null) return 'makes a contract'
  const carried = formatAmount(quantity(value, 'its value'), native)
  if (input === '0x') return `sends ${carried} to ${to}`
  const token = tokenAt(catalog.tokens, chainId, to)
  const call = token && strictDecode(payments, input)
  if (token && call) {
    const amount = formatAmount(call.args[1], token)
    return call.functionName === 'transfer'
      ? `sends ${amount} to ${call.args[0]}`
      : `lets ${call.args[0]} take ${amount}`
  }
  const target = EvmAddress.safeParse(to)
  const name = target.success ? contractName(catalog, chainId, target.data) : null
  return `calls ${name === null ? to : `${name} (${to})`} with ${carried}`
}
