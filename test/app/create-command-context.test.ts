import { isAbsolute, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { directories } from '../../src/app/profiles/directories.ts'
import { selectProfile } from '../../src/app/profiles/profile-selection.ts'
import { rpcUrls } from '../../src/app/profiles/rpc-settings.ts'
import { sandboxNetworks } from '../../src/domain/networks.ts'

describe('directories', () => {
  test('places config, data and cache under SLUICE_HOME as absolute paths', () => {
    const home = resolve('h')
    expect(directories({ SLUICE_HOME: './h' })).toEqual({
      config: `${home}/config`,
      data: `${home}/data`,
      cache: `${home}/cache`,
    })
  })

  test('follows the XDG variables and ignores empty or relative ones', () => {
    expect(
      directories({ HOME: '/home/me', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: 'relative', XDG_CACHE_HOME: '' }),
    ).toEqual({
      config: '/c/sluice',
      data: '/home/me/.local/share/sluice',
      cache: '/home/me/.cache/sluice',
    })
  })
})

test('directories are absolute paths when HOME is empty or relative', () => {
  for (const HOME of ['', 'here', './here'])
    for (const path of Object.values(directories({ HOME }))) expect(isAbsolute(path)).toBe(true)
})

const nothingKept = { read: async () => ({}), secretsOf: async () => ({}) }

describe('selectProfile', () => {
  const rpc = { SLUICE_RPC_SANDBOX_ONE: 'http://127.0.0.1:1' }
  const base = { SLUICE_BASE_URL: 'https://service.example' }
  test.each<[string, Record<string, string>, string | undefined, string]>([
    ['nothing is set', {}, undefined, 'sandbox'],
    ['an RPC is set', rpc, undefined, 'engine'],
    ['an empty RPC is set', { SLUICE_RPC_BASE: '' }, undefined, 'sandbox'],
    ['a service is set', base, undefined, 'remote'],
    ['a service and an RPC are set', { ...base, ...rpc }, undefined, 'remote'],
    ['--profile is given', { ...base, ...rpc }, 'engine', 'engine'],
    ['SLUICE_PROFILE is set', { ...base, ...rpc, SLUICE_PROFILE: 'engine' }, undefined, 'engine'],
    ['--profile differs from SLUICE_PROFILE', { ...rpc, SLUICE_PROFILE: 'engine' }, 'sandbox', 'sandbox'],
    ['SLUICE_PROFILE is empty', { ...rpc, SLUICE_PROFILE: '' }, undefined, 'engine'],
  ])('selects the kind of profile when %s', async (_, env, flag, kind) => {
    expect((await selectProfile(env, flag, nothingKept)).kind).toBe(kind)
  })

  test.each<[Record<string, string>, string | undefined, RegExp]>([
    [{}, 'moon', /"moon"/],
    [base, 'engine', /RPC for at least one network/],
    [rpc, 'remote', /base URL of the service/],
    [{ SLUICE_PROFILE: 'remote' }, undefined, /base URL of the service/],
  ])('refuses %j with --profile %s', async (env, flag, says) => {
    await expect(selectProfile(env, flag, nothingKept)).rejects.toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(says) }),
    )
  })
})

describe('rpcUrls', () => {
  test('splits several endpoints of a network at commas', () => {
    expect([
      ...rpcUrls({ SLUICE_RPC_SANDBOX_TWO: 'https://a.example/k, http://127.0.0.1:1' }, sandboxNetworks),
    ]).toEqual([[31338, ['https://a.example/k', 'http://127.0.0.1:1']]])
  })

  test.each([
    ['SLUICE_RPC_MARS', 'https://a.example/canary-4711'],
    ['SLUICE_RPC_SANDBOX_ONE', 'canary-4711'],
    ['SLUICE_RPC_SANDBOX_ONE', 'https://a.example,,'],
    ['SLUICE_RPC_SANDBOX_ONE', 'file:///canary-4711'],
  ])('refuses %s=%s, naming the variable and not its value', (name, value) => {
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
