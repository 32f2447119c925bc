import { describe, expect, test } from 'vitest'
import { withSameTarget } from '../../src/cli/next-command.ts'

const ops = ['deposit', 'x', '--wallet', 'ops', '--profile', 'prod']

describe('withSameTarget', () => {
  test.each([
    ['sluice action resume abc', 'sluice action resume abc --wallet ops --profile prod'],
    [
      'sluice action resume abc, or close the action: sluice action abandon abc',
      'sluice action resume abc --wallet ops --profile prod, or close the action: sluice action abandon abc --profile prod',
    ],
    ['sluice action revoke abc --yes', 'sluice action revoke abc --yes --wallet ops --profile prod'],
    ['Then: sluice action resume abc.', 'Then: sluice action resume abc --wallet ops --profile prod.'],
    [
      'sluice action resume abc once it has that',
      'sluice action resume abc --wallet ops --profile prod once it has that',
    ],
    ['sluice action resume abc --wallet dev', 'sluice action resume abc --wallet dev --profile prod'],
    ['sluice wallet show', 'sluice wallet show ops --profile prod'],
    ['sluice wallet approvals list', 'sluice wallet approvals list ops --profile prod'],
    ['sluice swap execute -- -odd', 'sluice swap execute --wallet ops --profile prod -- -odd'],
    ["sluice serve --host 'a & b' --port 1", "sluice serve --host 'a & b' --port 1 --profile prod"],
    ['Another version of sluice wrote it', 'Another version of sluice wrote it'],
  ])('adds the wallet and the profile where the command takes them: %s', (text, wanted) => {
    expect(withSameTarget(text, ops)).toBe(wanted)
  })

  test('adds the key file, the Ledger path and the network', () => {
    const next = 'sluice wallet approvals revoke --token USDC --spender 0x1'
    const named = ['--key-file', '/k/my key', '--network', 'base']
    expect(withSameTarget(next, named)).toBe(`${next} --key-file '/k/my key' --network base`)
    expect(withSameTarget('sluice action resume abc', ['--ledger', 'm/44/60'])).toBe(
      'sluice action resume abc --ledger m/44/60',
    )
    expect(withSameTarget('sluice action resume abc', ['--ledger', '--yes'])).toBe(
      'sluice action resume abc --ledger',
    )
  })

  test('leaves the signer out when isSigner is false', () => {
    expect(withSameTarget('sluice action resume abc', ops, { isSigner: false })).toBe(
      'sluice action resume abc --profile prod',
    )
  })
})
