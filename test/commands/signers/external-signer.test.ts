import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { sandboxAddress, sandboxKey } from '../../../src/sandbox/accounts.ts'
import {
  type AskedTransaction,
  type ExternalSigner,
  type SignerSays,
  startSigner,
} from '../../support/services/external-signer.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
/** The keys of the signer: accounts of the sandbox that do not sign by default. */
const keys = [sandboxKey(2), sandboxKey(3)] as const
const [first, second] = [sandboxAddress(2), sandboxAddress(3)]
const pay =
  'transfer --network sandbox-one --token USDC --to 0x7777777777777777777777777777777777777777 --amount 1 --yes --json'

let signer: ExternalSigner
const start = async (...some: (typeof keys)[number][]) => {
  signer = await startSigner(some)
}
beforeEach(() => start(keys[0]))
afterEach(() => signer.close())

describe('an external signer', () => {
  test('signs a deposit and sends nothing itself', async () => {
    const { exit, json, err } = await run(
      `deposit aave-v3-usdc-sandbox-one --amount 25 --yes --json --signer-url ${signer.url}`,
    )
    expect({ exit, from: json.originAddress, status: json.status }).toEqual({
      exit: 0,
      from: first,
      status: 'SUCCESS',
    })
    expect(signer.asked).toEqual(['eth_accounts', 'eth_signTransaction', 'eth_signTransaction'])
    expect(err).toContain('if it asks you, confirm there')
  })

  test.each([
    ['', (url: string) => url],
    ['/v3/hidden-token-41', () => 'URL'],
  ])(
    'that declines the second step exits 21 and is named in the hint, without the path of its URL: %s',
    async (path, named) => {
      let calls = 0
      signer.says('eth_signTransaction', async (asked) =>
        ++calls === 2
          ? { error: { code: 4001, message: 'User rejected' } }
          : { result: await signer.sign(asked) },
      )
      const ran = await run(
        `deposit aave-v3-usdc-sandbox-one --amount 25 --yes --json --signer-url ${signer.url}${path}`,
      )
      const { message, hint, details } = ran.json.error
      expect({ exit: ran.exit, message, hint }).toEqual({
        exit: 21,
        message: `The action is partly done; the remaining steps were not signed: The request was rejected at the signer at ${new URL(signer.url).host}`,
        hint: `sluice action resume ${details.id} --signer-url ${named(signer.url)}`,
      })
      const resumed = hint.replace(/^sluice /, '').replace(/ URL$/, ` ${signer.url}`)
      expect((await run(`${resumed} --json`)).exit).toBe(0)
    },
  )

  test.each([
    ['signs another transaction', (asked: AskedTransaction) => signer.sign({ ...asked, to: second })],
    ['returns the first signature again', async (_: AskedTransaction, before: Hex) => before],
  ])(
    'that %s at the second step is not named again, and no later command with it succeeds',
    async (_, cheat) => {
      let before: Hex | undefined
      signer.says('eth_signTransaction', async (asked) => {
        const result: Hex = before ? await cheat(asked, before) : await signer.sign(asked)
        before ??= result
        return { result }
      })
      const { exit, json } = await run(
        `deposit aave-v3-usdc-sandbox-one --amount 25 --yes --json --signer-url ${signer.url}`,
      )
      const { id } = json.error.details
      expect({ exit, hint: json.error.hint }).toEqual({
        exit: 21,
        hint: `Do not use this signer again until you know why. For other ways to sign: sluice help signing. If its key is elsewhere: sluice action resume ${id} --wallet NAME; to stop instead: sluice action revoke ${id} --wallet NAME`,
      })
      const explained = (await run(['action', 'explain', id, '--json'])).json
      expect(explained).toMatchObject({
        situation: 'PARTLY_DONE',
        verdict: expect.stringContaining('The signer did not return the requested transaction.'),
      })
      const revoked = await run(`action revoke ${id} --yes --json --signer-url ${signer.url}`)
      expect([revoked.exit, revoked.json.error.hint]).toEqual([
        21,
        expect.stringMatching(
          /^Do not use this signer again .* sluice action revoke \S+ --yes --wallet NAME$/,
        ),
      ])
      signer.says('eth_signTransaction', async (asked) => ({ result: await signer.sign(asked) }))
      expect(await run(`action resume ${id} --yes --json --signer-url ${signer.url}`)).toMatchObject({
        exit: 21,
      })
    },
  )

  test('that signs another transaction in speed-up or cancel is not named in the hint', async () => {
    const { rpc } = sandbox.chain(31337)
    await rpc.request('evm_setAutomine', [false])
    try {
      const sent = await run(`${pay} --no-wait --signer-url ${signer.url}`)
      const { id } = sent.json.error.details
      signer.says('eth_signTransaction', async (asked) => ({
        result: await signer.sign({ ...asked, to: second }),
      }))
      for (const [line, again] of [
        [`action speed-up ${id} --yes`, `sluice action speed-up ${id} --wallet NAME`],
        [`action cancel ${id} --yes`, `sluice action cancel ${id} --yes --wallet NAME`],
      ] as const) {
        const { exit, json } = await run(`${line} --json --signer-url ${signer.url}`)
        expect({ line, exit, hint: json.error.hint }).toEqual({
          line,
          exit: 20,
          hint: `Do not use this signer again until you know why. For other ways to sign: sluice help signing. If its key is elsewhere: ${again}`,
        })
      }
    } finally {
      await rpc.request('evm_mine')
      await rpc.request('evm_setAutomine', [true])
    }
  })

  test('that declines the revocation of an allowance leaves a closed operation and a hint to revoke again', async () => {
    let calls = 0
    signer.says('eth_signTransaction', async (asked) =>
      ++calls === 1
        ? { result: await signer.sign(asked) }
        : { error: { code: 4001, message: 'User rejected' } },
    )
    const part = await run(
      `deposit aave-v3-usdc-sandbox-one --amount 25 --yes --json --signer-url ${signer.url}`,
    )
    const { id } = part.json.error.details
    const revoke = `action revoke ${id} --yes --json --signer-url ${signer.url}`
    const declined = await run(revoke)
    const { code, message, hint } = declined.json.error
    expect({ exit: declined.exit, code, message }).toEqual({
      exit: 21,
      code: 'PARTIAL',
      message: `${id} is closed, but its allowances are not revoked yet: declined`,
    })
    expect(hint).toBe(`sluice action revoke ${id} --yes --signer-url ${signer.url}`)
    signer.says('eth_signTransaction', async (asked) => ({ result: await signer.sign(asked) }))
    expect((await run(`${hint.replace(/^sluice /, '')} --json`)).exit).toBe(0)
  })

  test('with several accounts needs --wallet', async () => {
    await signer.close()
    await start(...keys)
    const unnamed = await signsNothing(() => run(`${pay} --signer-url ${signer.url}`))
    expect([unnamed.exit, unnamed.json.error.hint]).toEqual([2, `Choose one: --wallet ${first}`])
    const named = await run(`${pay} --signer-url ${signer.url} --wallet ${second}`)
    expect([named.exit, named.json.originAddress]).toEqual([0, second])
    const foreign = await signsNothing(() =>
      run(`${pay} --signer-url ${signer.url} --wallet ${sandboxAddress(4)}`),
    )
    expect([foreign.exit, foreign.json.error.code]).toEqual([13, 'KEY_SOURCE'])
  })

  test('is taken from the environment, unless --signer-url is given; a key beside it is refused', async () => {
    await signer.close()
    await start(...keys)
    const secrets = { signerUrl: `${signer.url}/hidden-token-41` }
    const named = await run(`${pay} --wallet ${second}`, { secrets })
    expect([named.exit, named.json.originAddress]).toEqual([0, second])
    const typed = await run(`${pay} --signer-url http://127.0.0.1:9`, { secrets })
    expect([typed.exit, typed.json.error.message]).toEqual([
      13,
      'The signer at 127.0.0.1:9 cannot be reached',
    ])
    const both = await signsNothing(() => run(pay, { secrets: { ...secrets, privateKey: keys[0] } }))
    expect([both.exit, both.json.error.message]).toEqual([
      2,
      'SLUICE_PRIVATE_KEY and SLUICE_SIGNER_URL cannot be combined',
    ])
  })

  test('may return an object with the raw bytes, as a node does', async () => {
    signer.says('eth_signTransaction', async (asked) => ({
      result: { raw: await signer.sign(asked), tx: {} },
    }))
    expect((await run(`${pay} --signer-url ${signer.url}`)).exit).toBe(0)
  })

  const silence = (): SignerSays => 'nothing'
  const altered = (change: object) => async (asked: Parameters<ExternalSigner['sign']>[0]) => ({
    result: await signer.sign({ ...asked, ...change }),
  })
  const html: SignerSays = (_, response) =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>')
  const elsewhere: SignerSays = (_, response) =>
    void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()
  test.each<[string, (asked: never) => SignerSays | Promise<SignerSays>, number, RegExp]>([
    [
      'with another key',
      async (asked) => ({ result: await signer.sign(asked, keys[1]) }),
      8,
      /did not return/,
    ],
    ['to another recipient', altered({ to: second }), 8, /not return the requested transaction/],
    ['with more value', altered({ value: '0x1' }), 8, /not return the requested transaction/],
    ['with another nonce', altered({ nonce: '0xff' }), 8, /not return the requested transaction/],
    [
      'with a higher fee',
      altered({ maxFeePerGas: '0x5d21dba000' }),
      8,
      /not return the requested transaction/,
    ],
    ['on another chain', altered({ chainId: '0x1' }), 8, /not return the requested transaction/],
    ['nonsense', () => ({ result: '0x02c0' }), 8, /not return a signed transaction/],
    ['a hash', () => ({ result: { hash: '0x00' } }), 13, /not a signed transaction/],
    [
      'a rejection',
      () => ({ error: { code: 4001, message: 'User rejected' } }),
      9,
      /rejected at the signer at \S+ Nothing was signed\.$/,
    ],
    [
      'an unknown method',
      () => ({ error: { code: -32601, message: 'no' } }),
      13,
      /only sends is not used\. Nothing was sent\.$/,
    ],
    ['an error', () => ({ error: { code: -32000, message: 'lo\u001bcked' } }), 13, /: locked/],
    ['an HTML page', () => html, 13, /HTTP status 502/],
    ['a redirect', () => elsewhere, 13, /redirect to \S+, which is not followed/],
    ['nothing in time', silence, 13, /time limit was reached before the signer had signed/],
  ])(
    'that signs or answers %s causes an error with the cause, and nothing is sent',
    async (_, what, code, words) => {
      signer.says('eth_signTransaction', what as never)
      const { exit, json } = await signsNothing(() =>
        run(`${pay} ${what === silence ? '--timeout 4s' : ''} --signer-url ${signer.url}/v3/hidden-token-41`),
      )
      expect({ exit, says: json.error.message }).toEqual({ exit: code, says: expect.stringMatching(words) })
      expect(JSON.stringify(json)).not.toMatch(/hidden-token-41|\\u001b/)
      if (code === 8) expect(json.error.hint).toMatch(/^Do not use this signer/)
      expect(
        signer.asked.filter((method) => !['eth_accounts', 'eth_signTransaction'].includes(method)),
      ).toEqual([])
      expect(signer.asked.filter((method) => method === 'eth_signTransaction')).toHaveLength(1)
    },
  )

  test.each([
    ['is not a list', { result: 'none' }],
    ['has invalid addresses', { result: ['0x12'] }],
    ['is empty', { result: [] }],
  ])('whose list of accounts %s is refused', async (_, said) => {
    signer.says('eth_accounts', () => said)
    const { exit, json } = await signsNothing(() => run(`${pay} --signer-url ${signer.url}`))
    expect([exit, json.error.code]).toEqual([13, 'KEY_SOURCE'])
  })

  test.each(['http://192.0.2.7:9000', 'ftp://127.0.0.1', 'nonsense', 'http://127.0.0.1.example.org/'])(
    'is refused unless its URL is https or on this machine: %s',
    async (url) => {
      const { exit, json } = await run(`${pay} --signer-url ${url}`)
      expect([exit, JSON.stringify(json).includes('192.0.2.7')]).toEqual([2, false])
    },
  )

  test('that is unreachable is named by its host, without the secrets of its URL', async () => {
    const { exit, json, err } = await signsNothing(() =>
      run(`${pay} --signer-url http://user:hidden-word@127.0.0.1:9/hidden-token-41`),
    )
    expect([exit, json.error.message]).toEqual([13, 'The signer at 127.0.0.1:9 cannot be reached'])
    expect(JSON.stringify(json) + err).not.toMatch(/hidden/)
  })
})
