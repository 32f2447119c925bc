import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

import { directories } from '../src/world/directories.ts'

describe('where files are kept', () => {
  test('SLUICE_HOME is one place for all, wherever it is said from', () => {
    const home = resolve('h')
    expect(directories({ SLUICE_HOME: './h' })).toEqual({
      config: `${home}/config`,
      data: `${home}/data`,
      cache: `${home}/cache`,
    })
  })

  test('the XDG variables are followed, and a relative one is ignored', () => {
    expect(
      directories({ HOME: '/home/me', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: 'relative', XDG_CACHE_HOME: '' }),
    ).toEqual({
      config: '/c/sluice',
      data: '/home/me/.local/share/sluice',
      cache: '/home/me/.cache/sluice',
    })
  })
})
