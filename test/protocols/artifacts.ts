import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Address, Hex } from '../../src/domain/address.ts'
import type { Artifact } from '../../src/sandbox/genesis/artifacts.ts'
import { compiled } from '../support/contracts/compile-contract.ts'
import type { Taken } from './make.ts'

/** The published artifact of a contract (`npm run artifacts`), linked with its library if it has one. */
export function theirs(name: string, library?: Address): Artifact {
  const {
    abi,
    bytecode,
    linkReferences = {},
  }: Taken = JSON.parse(readFileSync(join(import.meta.dirname, 'artifacts', `${name}.json`), 'utf8'))
  const holes = Object.values(linkReferences).flatMap((file) => Object.values(file).flat())
  const linked = holes.reduce((code, { start, length }) => {
    if (!library) throw new Error(`${name} needs a library`)
    const [from, to] = [2 + start * 2, 2 + (start + length) * 2]
    return code.slice(0, from) + library.slice(2).toLowerCase() + code.slice(to)
  }, bytecode as string)
  return { abi: abi as unknown as Artifact['abi'], bytecode: linked as Hex }
}

/** A contract of ours that a protocol depends on, such as its price oracle. */
export const around = (name: 'Surroundings' | 'Gauge' | 'Spokes'): Artifact =>
  compiled(join(import.meta.dirname, 'contracts', `${name}.sol`)) as Artifact
