import { join } from 'node:path'
import type { LoadedPolicy } from '../../guard/policy/policy-file.ts'
import type { Directories } from './directories.ts'

/** Where the policy of this machine is. */
export const policyPath = ({ config }: Directories): string => join(config, 'policy.json')

/** The policy of this machine as it is now, `null` where there is none. */
export const policyHere = (dirs: Directories) => async (): Promise<LoadedPolicy | null> =>
  (await import('../../guard/policy/policy-file.ts')).readPolicy(undefined, policyPath(dirs))
