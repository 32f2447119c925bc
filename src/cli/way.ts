import { type Command, Option } from 'commander'

import { AppError } from '../domain/errors.ts'
import { networkNamed } from '../domain/network-named.ts'
import { plain } from '../domain/text.ts'
import type { Planned, Way } from '../wallet/execution/carry-out.ts'
import type { Ground } from '../wallet/ground.ts'
import type { Cli } from './cli.ts'

/** The options that say how something is carried out, as commander reads them. */
export type ExecutionOptions = {
  wait: boolean
  confirmations?: string
  nonce?: string[]
  queueBehind?: boolean
  lockWait?: boolean
  pipeline?: boolean
  maxFee?: string
}

const list = (value: string, before: string[] = []) => [...before, value]

/** Adds the options that say how an operation is carried out, to a new one or to one that is gone on with. */
export const withExecution = (command: Command, { isNew }: { isNew: boolean }): Command => {
  const add = (flags: string, description: string) =>
    command.addOption(new Option(flags, description).helpGroup('Execution:'))
  add('--no-wait', 'send, then exit 20 with the id')
  add('--confirmations <depth>', 'what counts as final: a number of blocks, safe or finalized')
  add('--queue-behind', 'go behind what others sent with this wallet, instead of refusing')
  add('--no-lock-wait', 'do not wait for another process that uses this wallet')
  // A new operation says so among what is safe for it.
  if (!isNew) return add('--max-fee <gwei>', 'let a unit of gas cost more than was planned, and at most this')
  add('--pipeline', 'send all transactions of a chain at once, without waiting for the first')
  return command.addOption(
    new Option(
      '--nonce <nonce>',
      'the nonce of the first transaction, N or NETWORK=N: at most one payment, even without a journal',
    )
      .argParser(list)
      .helpGroup('Execution:'),
  )
}

/** How deep is deep, from what was typed. */
export function depthOf(text: string | undefined): Way['depth'] {
  if (text === undefined) return undefined
  if (text === 'safe' || text === 'finalized') return text
  if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text)
  throw new AppError(
    'USAGE',
    `--confirmations is a number of blocks, safe or finalized, not "${plain(text)}"`,
    {
      hint: '--confirmations 3',
    },
  )
}

/** The pinned nonce of each chain, from what was typed; a bare number is for the chain of the first transaction. */
export function noncesOf(
  texts: readonly string[] | undefined,
  networks: Ground['catalog']['networks'],
  firstChain: number,
): Record<number, number> | undefined {
  if (!texts) return undefined
  const pinned: Record<number, number> = {}
  for (const text of texts) {
    const [, name, number] = /^(?:([^=]+)=)?(0|[1-9][0-9]{0,14})$/.exec(text) ?? []
    if (number === undefined)
      throw new AppError('USAGE', `--nonce is a number, or NETWORK=number, not "${plain(text)}"`, {
        hint: `--nonce 7, or --nonce ${networks[0]?.name ?? 'NETWORK'}=7`,
      })
    const { chainId } = name === undefined ? { chainId: firstChain } : networkNamed(networks, name)
    if (pinned[chainId] !== undefined)
      throw new AppError('USAGE', `--nonce is given twice for chain ${chainId}`, {
        hint: '--nonce NETWORK=N, once a network',
      })
    pinned[chainId] = Number(number)
  }
  return pinned
}

/** How an operation is carried out, from the options of its command. */
export function wayOf(
  { place }: Cli,
  ground: Ground,
  operation: Planned,
  options: Partial<ExecutionOptions>,
  maxFeePerGas?: bigint,
): Omit<Way, 'account' | 'timeoutMs' | 'signal' | 'onProgress' | 'delivered'> {
  const depth = depthOf(options.confirmations)
  const nonces = noncesOf(options.nonce, ground.catalog.networks, operation.legs[0]!.chainId)
  return {
    ...(depth !== undefined && { depth }),
    ...(nonces && { nonces }),
    ...(options.queueBehind && { queueBehind: true }),
    ...(options.pipeline && { pipeline: true }),
    ...(options.lockWait === false && { lockWaitMs: 0 }),
    ...(options.wait === false && { noWait: true }),
    ...(maxFeePerGas !== undefined && { maxFeePerGas }),
    // The embedded chains make a block only when there is something to put in it.
    ...(place.kind === 'sandbox' && {
      mine: async (chainId: number, blocks: number) => {
        await ground.rpc(chainId).request('anvil_mine', [`0x${blocks.toString(16)}`])
      },
    }),
  }
}
