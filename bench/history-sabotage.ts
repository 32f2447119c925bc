import type { ChainClient } from '../src/chain/chain-client.ts'

type Log = { topics: string[]; blockNumber: string }

const [transfer, balanceTransfer] = [
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  '0x4beccb90f994c31aced7a23b5611020728a23d8ec5cddd1a3e9d97b96fda8666',
]

/** Deliberate reading errors: each removes logs from the answers before the program sees them. */
const losses: Record<string, (log: Log, asked: { fromBlock: string }) => boolean> = {
  /** Only deposits and withdrawals of the owner count. */
  'own-deposits-only': ({ topics }) => topics[0] === transfer || topics[0] === balanceTransfer,
  /** A checkpoint is read as one block later. */
  'skip-a-block': ({ blockNumber }, { fromBlock }) =>
    Number(fromBlock) > 0 && Number(blockNumber) === Number(fromBlock),
}

/** The names of the deliberate errors. */
export const sabotages: readonly string[] = Object.keys(losses)

/** A node as a broken reader sees it. */
export function sabotaged(rpc: ChainClient, name: string | undefined): ChainClient {
  const isLost = name === undefined ? undefined : losses[name]!
  if (!isLost) return rpc
  return {
    ...rpc,
    batch: async (calls) => {
      const answers = await rpc.batch(calls)
      return answers.map((answer, at) => {
        const [method, params] = calls[at]!
        if (method !== 'eth_getLogs') return answer
        return (answer as Log[]).filter((log) => !isLost(log, params[0] as { fromBlock: string }))
      })
    },
  }
}
