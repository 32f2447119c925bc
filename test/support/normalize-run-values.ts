/** Replaces values that differ between runs (IDs, hashes, clock times) by the order of their first occurrence; all other bytes stay. */
export function unlike(text: string): string {
  const seen = new Map<string, string>()
  const named = (kind: string) => (found: string) => {
    const name = seen.get(found) ?? `<${kind} ${seen.size}>`
    seen.set(found, name)
    return name
  }
  return (
    text
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, named('id'))
      .replace(/\b(0x)?[0-9a-f]{64}\b/g, named('hash'))
      .replace(/\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z\b/g, '<time>')
      // A busy machine sends again before it has seen the block.
      .replace(/the node said: (accepted|nonce too low)/g, 'the node said: <answer>')
      // A deadline, as text and in calldata.
      .replace(/"deadline":"?1[0-9]{9}\b"?/g, '"deadline":"<deadline>"')
      .replace(/0{56}(6|7)[0-9a-f]{7}/g, '<deadline>')
  )
}
