import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

const variable = 'SLUICE_TEST_CACHE'

/**
 * The directory of what tests make once and reuse. One directory per user: no user can write into the directory of another one. It
 * stays where it is when the homes of tests are moved into memory.
 */
export function testCache(): string {
  process.env[variable] ??= join(tmpdir(), `sluice-test-cache-${userInfo().uid}`)
  return process.env[variable]
}
