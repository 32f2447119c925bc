import type { Ground } from '../ground.ts'
import type { KeptPolicy } from '../policy/policy.ts'
import type { Terms } from '../policy/terms.ts'

/**
 * The policy of the machine as it is now, where it is another one than the operation was begun with; `null` where it is the same, where
 * there is none, and where another was named in its place.
 */
export async function presentPolicy(
  { policy: present }: Ground,
  { policy: begun }: Pick<Terms, 'policy'>,
): Promise<KeptPolicy | null> {
  const now = begun?.named ? null : ((await present?.()) ?? null)
  return now?.sha256 === begun?.sha256 ? null : now
}
