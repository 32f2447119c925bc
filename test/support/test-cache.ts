import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/** The directory of what tests make once and reuse. One directory per user: no user can write into the directory of another one. */
export const testCache = (): string => join(tmpdir(), `sluice-test-cache-${userInfo().uid}`)
