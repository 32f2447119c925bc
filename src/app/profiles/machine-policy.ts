import { join } from 'node:path'
import type { LoadedPolicy } from '../../guard/policy/policy-file.ts'
import type { Directories } from './directories.ts'

/** Returns the path of this machine's policy. */
export const policyPath = ({ config }: Directories): string => join(config, 'policy.json')

/** Reads this machine's current policy; `null` if there is none. */
export const machinePolicy = (dirs: Directories) => async (): Promise<LoadedPolicy | null> =>
  (await import('../../guard/policy/policy-file.ts')).readPolicy(undefined, policyPath(dirs))
