// Inputs that look random and are the same in every run of a seed (mulberry32), for scripts that run beside an SDK.
module.exports = (seed) => {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const hex = (digits) => Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('')
  const whole = (most) => Math.floor(next() * most)
  /** A whole number of up to so many bits, small and large alike. */
  const big = (bits) => BigInt(`0x${hex(Math.ceil((1 + whole(bits)) / 4))}`) + 1n
  return { next, whole, big, address: () => `0x${hex(40)}` }
}
