/** So many blocks are asked about in one exchange. */
const probes = 16n

/**
 * The first block after `without` in which something is so that is so at `end`, in a few exchanges; `holds` says of which of some blocks it
 * is, oldest first. What began stays.
 */
export async function firstWhere(
  holds: (blocks: readonly bigint[]) => Promise<readonly boolean[]>,
  without: bigint,
  end: bigint,
): Promise<bigint> {
  let [before, first] = [without, end]
  while (first - before > 1n) {
    const between = first - before
    const step = between <= probes ? 1n : between / probes
    const numbers: bigint[] = []
    for (let at = before + step; at < first; at += step) numbers.push(at)
    const has = await holds(numbers)
    const found = has.indexOf(true)
    if (found !== 0) before = numbers.at(found === -1 ? -1 : found - 1)!
    if (found !== -1) first = numbers[found]!
  }
  return first
}
