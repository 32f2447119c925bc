import { isAbsolute, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { directories } from '../../src/app/profiles/directories.ts'
import { selectProfile } from '../../src/app/profiles/profile-selection.ts'
import { rpcUrls } from '../../src/app/profiles/rpc-settings.ts'
import { sandboxNetworks } from '../../src/domain/networks.ts'

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

test('an empty or relative HOME is not where the program was started', () => {
  for (const HOME of ['', 'here', './here'])
    for (const path of Object.values(directories({ HOME }))) expect(isAbsolute(path)).toBe(true)
})

const nothingKept = { read: async () => ({}), secretsOf: async () => ({}) }

describe('profile to use', () => {
  const rpc = { SLUICE_RPC_SANDBOX_ONE: 'http://127.0.0.1:1' }
  const base = { SLUICE_BASE_URL: 'https://service.example' }
  test.each<[string, Record<string, string>, string | undefined, string]>([
    ['nothing is set', {}, undefined, 'sandbox'],
    ['an RPC is set', rpc, undefined, 'engine'],
    ['an empty RPC is set', { SLUICE_RPC_BASE: '' }, undefined, 'sandbox'],
    ['a service is set', base, undefined, 'remote'],
    ['a service and an RPC are set', { ...base, ...rpc }, undefined, 'remote'],
    ['the flag says so', { ...base, ...rpc }, 'engine', 'engine'],
    ['the environment says so', { ...base, ...rpc, SLUICE_PROFILE: 'engine' }, undefined, 'engine'],
    [
      'the flag says something else than the environment',
      { ...rpc, SLUICE_PROFILE: 'engine' },
      'sandbox',
      'sandbox',
    ],
    ['the environment says nothing', { ...rpc, SLUICE_PROFILE: '' }, undefined, 'engine'],
  ])('where %s', async (_, env, flag, kind) => {
    expect((await selectProfile(env, flag, nothingKept)).kind).toBe(kind)
  })

  test.each<[Record<string, string>, string | undefined, RegExp]>([
    [{}, 'moon', /"moon"/],
    [base, 'engine', /RPC for at least one network/],
    [rpc, 'remote', /base URL of the service/],
    [{ SLUICE_PROFILE: 'remote' }, undefined, /base URL of the service/],
  ])('%j with --profile %s is refused', async (env, flag, says) => {
    await expect(selectProfile(env, flag, nothingKept)).rejects.toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(says) }),
    )
  })
})

describe('the RPCs of the environment', () => {
  test('are several a network where there are commas', () => {
    expect([
      ...rpcUrls({ SLUICE_RPC_SANDBOX_TWO: 'https://a.example/k, http://127.0.0.1:1' }, sandboxNetworks),
    ]).toEqual([[31338, ['https://a.example/k', 'http://127.0.0.1:1']]])
  })

  test.each([
    ['SLUICE_RPC_MARS', 'https://a.example/canary-4711'],
    ['SLUICE_RPC_SANDBOX_ONE', 'canary-4711'],
    ['SLUICE_RPC_SANDBOX_ONE', 'https://a.example,,'],
    ['SLUICE_RPC_SANDBOX_ONE', 'file:///canary-4711'],
  ])('%s=%s is refused by the name of the variable, and never repeated', (name, value) => {
    const error = (() => {
      try {
        return rpcUrls({ [name]: value }, sandboxNetworks)
      } catch (caught) {
        return caught as Error & { code: string }
      }
    })()
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(name) })
    expect(JSON.stringify(error)).not.toContain('canary')
  })
})
