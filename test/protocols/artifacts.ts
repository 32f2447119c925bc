import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Abi } from 'viem'

import type { Artifact } from '../../src/sandbox/genesis/artifacts.ts'
import { compiled } from '../support/compile.ts'

/** A contract as its authors published it, by its name: `npm run artifacts`. */
export const theirs = (name: string): Artifact =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'artifacts', `${name}.json`), 'utf8'))

/** What stands around the protocols: prices and rights. Ours. */
export const surroundings = (): Artifact =>
  compiled(join(import.meta.dirname, 'contracts', 'Surroundings.sol')) as Artifact

/** Several interfaces as one: what a proxy answers, and what is behind it. */
export const both = (...artifacts: readonly Artifact[]): Abi => artifacts.flatMap(({ abi }) => [...abi])
