/** Creates a value for each chain on first use, and keeps it. */
export function oncePerChain<made>(make: (chainId: number) => made): (chainId: number) => made {
  const all = new Map<number, made>()
  return (chainId) => {
    const known = all.get(chainId) ?? make(chainId)
    all.set(chainId, known)
    return known
  }
}
