import { describe, expect, test } from 'vitest'
import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const secrets = { privateKey: sandboxKey() }
const chainId = 31337
const breaking = (symbol: string, code: string) =>
  sandbox.chain(chainId).rpc.request('anvil_setCode', [sandbox.token(chainId, symbol).address, code])
const line = 'deposit aave-v3-usdc-sandbox-one --amount 5 --yes --json --idempotency-key broken-token-1'

describe('a token of the catalogue whose balance cannot be read', () => {
  test.each([
    ['because it reverts', '0x60006000fd'],
    ['because it uses all gas', '0xfe'],
    ['because it returns nothing', '0x00'],
  ])('does not affect operations in other tokens: %s', async (_, code) => {
    await breaking('BRLA', code)
    const ran = await run(line, { secrets })
    expect({ exit: ran.exit, err: ran.exit === 0 ? '' : ran.out }).toEqual({ exit: 0, err: '' })
    expect(ran.json.status).toBe('SUCCESS')
  })

  test('fails the deposit of that token, and nothing is signed', async () => {
    await breaking('USDC', '0x60006000fd')
    const ran = await signsNothing(() => run(line, { secrets }))
    expect(ran.exit).not.toBe(0)
    expect(ran.exit).toBeLessThan(20)
  })
})
