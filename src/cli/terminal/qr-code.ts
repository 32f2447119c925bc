import type { Stream } from './stream.ts'

/** A text as a QR code for a terminal, two rows of it in one line; `undefined` where it cannot be shown. */
export async function qrCode(text: string, to: Stream): Promise<string | undefined> {
  if (!to.isTerminal || to.ascii) return undefined
  const { renderUnicodeCompact } = await import('uqr')
  const code = renderUnicodeCompact(text, { border: 2 })
  return code.split('\n').every((line) => line.length <= to.columns) ? code : undefined
}
