import { keccak256, size } from 'viem/utils'
import type { Address, Hex } from '../../../src/domain/address.ts'

/** The answers of contracts by calldata; all other calls revert. */
export type Sayings = ReadonlyMap<Address, ReadonlyMap<Hex, Hex>>

const push = (value: number | bigint, bytes: number) =>
  (0x5f + bytes).toString(16).padStart(2, '0') + value.toString(16).padStart(bytes * 2, '0')

/**
 * The code of a contract with these answers only: it hashes its calldata, looks the hash up, and returns the answer that is stored
 * behind the code.
 */
export function codeSaying(said: ReadonlyMap<Hex, Hex>): Hex {
  const rows = [...said]
  // CALLDATACOPY all calldata to 0, then leave its KECCAK256 on the stack.
  const head = '365f5f37' + '365f20'
  const rowBytes = 1 + 33 + 1 + 3 + 1 // DUP1 PUSH32 hash EQ PUSH2 to JUMPI
  const answerBytes = 1 + 3 + 3 + 1 + 1 + 3 + 1 + 1 // JUMPDEST PUSH2 size PUSH2 from PUSH0 CODECOPY PUSH2 size PUSH0 RETURN
  const answersAt = head.length / 2 + rows.length * rowBytes + 3 // PUSH0 PUSH0 REVERT
  const dataAt = answersAt + rows.length * answerBytes
  let code = head
  for (const [at, [asked]] of rows.entries())
    code += `80${push(BigInt(keccak256(asked)), 32)}14${push(answersAt + at * answerBytes, 2)}57`
  code += '5f5ffd'
  let from = dataAt
  for (const [, answer] of rows) {
    code += `5b${push(size(answer), 2)}${push(from, 2)}5f39${push(size(answer), 2)}5ff3`
    from += size(answer)
  }
  return `0x${code}${rows.map(([, answer]) => answer.slice(2)).join('')}`
}
