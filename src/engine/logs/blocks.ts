import type { Chain } from '../chain.ts'

/** A block by number and hash: what was read stands on it. */
export type Tip = { number: bigint; hash: string }

/** What blocks are called now, by number, in one exchange; a block that the node does not know is missing. */
export async function hashesOf({ rpc }: Chain, numbers: readonly bigint[]): Promise<Map<bigint, string>> {
  const asked = [...new Set(numbers)].filter((number) => number >= 0n)
  const blocks = (await rpc.batch(
    asked.map((number) => ['eth_getBlockByNumber', [`0x${number.toString(16)}`, false]] as const),
  )) as ({ hash?: string } | null)[]
  return new Map(
    asked.flatMap((number, at) => {
      const hash = blocks[at]?.hash
      return hash ? [[number, hash] as const] : []
    }),
  )
}
