/** Makes something for a chain when it is first asked for, and keeps it. */
export function onceEach<made>(make: (chainId: number) => made): (chainId: number) => made {
  const all = new Map<number, made>()
  return (chainId) => {
    const known = all.get(chainId) ?? make(chainId)
    all.set(chainId, known)
    return known
  }
}
