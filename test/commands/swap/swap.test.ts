import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tryLock } from '../../../src/store/file-lock.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { swapProviderNames } from '../../../src/swaps/swap-provider-registry.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing, home } = useCommands(sandbox)
const wallet = () => sandbox.user.address
const held = (chainId: number, symbol: string, who = wallet()) =>
  sandbox.balanceOf(chainId, sandbox.token(chainId, symbol).address, who)
const other = '0x6666666666666666666666666666666666666666' as const
const near = '--from sandbox-one --token-in USDC --token-out WETH'
const far = '--from sandbox-one --to sandbox-two --token-in USDC --token-out USDC'

describe('swap quote, swap status and swap list', () => {
  test('returns the best quote with the documented fields, and stores it', async () => {
    const { exit, json } = await run(`swap quote ${near} --amount-in 100 --json`)
    expect(exit).toBe(0)
    expect(Object.keys(json)).toEqual([
      'id',
      'quoteId',
      'from',
      'to',
      'tokenIn',
      'tokenOut',
      'provider',
      'minAmountOut',
      'maxAmountIn',
      'slippage',
      'priceImpact',
      'priceImpactUsd',
      'estimatedGas',
      'gasCostUsd',
      'netAmountOut',
      'netAmountIn',
      'netUsd',
      'durationSeconds',
      'deadline',
      'status',
      'destinationAddress',
      'refundAddress',
      'feeSponsorship',
      'feeSponsorshipReason',
      'fees',
      'alternatives',
      'accepts',
      'refusals',
    ])
    expect(json).toMatchObject({
      from: { network: 'sandbox-one', chainId: 31337 },
      to: { network: 'sandbox-one', chainId: 31337 },
      provider: 'uniswap-v3',
      tokenIn: { symbol: 'USDC', amount: { raw: '100000000', formatted: '100' } },
      status: 'pending',
    })
    expect(BigInt(json.minAmountOut.raw)).toBeLessThan(BigInt(json.tokenOut.amount.raw))
    const { json: list } = await run('swap list --json')
    expect(list.items[0].id).toBe(json.id)
    const { accepts: _, refusals: __, ...listed } = json
    expect(Object.keys(list.items[0])).toEqual(Object.keys(listed))
    const { json: status } = await run(`swap status ${json.id} --json`)
    expect(status).toEqual({
      id: json.id,
      status: 'pending',
      originTxHash: null,
      destinationTxHash: null,
      provider: 'uniswap-v3',
    })
  })

  test('estimates the gas of approval and swap within 15 percent, and reports the output after gas', async () => {
    const { json: offered } = await run(`swap quote ${near} --amount-in 100 --json`)
    const { json: done } = await run(`swap execute ${offered.id} --yes --json`)
    const used = done.transactions.reduce(
      (sum: number, one: { gasUsed: string }) => sum + Number(one.gasUsed),
      0,
    )
    expect(Math.abs(Number(offered.estimatedGas) / used - 1)).toBeLessThan(0.15)
    expect(BigInt(offered.netAmountOut.raw)).toBeLessThan(BigInt(offered.tokenOut.amount.raw))
    expect(offered.netAmountIn).toBeNull()
  })

  test('reports a negative output after gas, and still compares the quotes', async () => {
    const { json } = await run(`swap quote ${near} --amount-in 0.1 --json`)
    expect(json.netAmountOut.raw).toMatch(/^-[1-9]/)
    expect(json.netUsd).toMatch(/^-0\.[0-9]+$/)
    expect((await run(`swap quote ${near} --amount-in 0.1`)).out).toMatch(
      /^after gas +nothing: the gas costs more than the output$/m,
    )
    const { json: all } = await run(
      `swap quote --compare uniswap-v3,uniswap-v4 ${near} --amount-in 0.1 --json`,
    )
    expect(all.items.map(({ lost }: { lost: string | null }) => lost)).toEqual([
      null,
      expect.stringMatching(/less after gas$/),
    ])
  })

  test('shows every fee with its kind', async () => {
    const { out } = await run(`swap quote ${far} --amount-in 100 --provider relay`)
    expect(out).toMatch(/^fee +0\.5 USDC network fee, in the amounts above$/m)
    const { out: csv } = await run(`swap quote --compare relay,across ${far} --amount-in 100 --csv`)
    expect(csv).toMatch(/^relay,.*0\.5 USDC network; 0\.1 USDC relayer,/m)
  })

  test('--compare ranks a provider with an unproven minimum after the others', async () => {
    const { json } = await run(
      'swap quote --compare avenia,cow --from sandbox-one --token-in USDC --token-out BRLA --amount-in 100 --json',
    )
    expect(
      json.items.map(({ provider, lost }: { provider: string; lost: string | null }) => [provider, lost]),
    ).toEqual([
      ['cow', null],
      ['avenia', 'nothing proves its minimum'],
    ])
    expect(Number(json.items[1].netUsd)).toBeGreaterThan(Number(json.items[0].netUsd))
  })

  test('a quote without a route lists the possible routes', async () => {
    const { exit, json } = await run(
      'swap quote --from sandbox-one --token-in USDC --to sandbox-two --token-out ETH --amount-in 1 --json',
    )
    expect({ exit, code: json.error.code }).toEqual({ exit: expect.any(Number), code: 'NO_ROUTE_FOUND' })
    expect(exit).toBeLessThan(20)
    expect(json.error.details.routes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ network: 'sandbox-one', symbol: 'WETH' }),
        expect.objectContaining({ network: 'sandbox-two', symbol: 'USDC' }),
      ]),
    )
    expect(json.error.message).toMatch(/It can be swapped into .*WETH on sandbox-one/)
  })

  test('--compare says of each quote what its payer lacks, and its next step brings it', async () => {
    const nobody = '0x000000000000000000000000000000000000dEaD'
    const line = `swap quote --compare uniswap-v3,cow ${near} --amount-in 100 --wallet ${nobody}`
    const { json } = await run(`${line} --json`)
    const codes = json.items.map(({ refusals }: never) =>
      (refusals as { code: string }[]).map(({ code }) => code),
    )
    expect(codes).toEqual([
      ['INSUFFICIENT_FUNDS', 'INSUFFICIENT_FUNDS'],
      ['INSUFFICIENT_FUNDS', 'INSUFFICIENT_FUNDS'],
    ])
    const { err } = await run(line)
    expect(err).toContain(`${nobody} has 0 USDC on sandbox-one and needs 100 USDC: 100 USDC missing`)
    expect(err).toContain(`next: ${json.items[0].refusals[0].next}\n`)
    const { json: own } = await run(`swap quote --compare uniswap-v3 ${near} --amount-in 100 --json`)
    expect(own.items[0].refusals).toEqual([])
  })

  test('without a route, the error also says that the payer lacks the amount', async () => {
    const route = '--from sandbox-one --token-in USDC --token-out USDC'
    for (const line of [`swap quote ${route}`, `swap quote --compare cow ${route}`]) {
      const { exit, json } = await run(`${line} --amount-in 9000000 --json`)
      expect(exit).toBe(4)
      expect(json.error).toMatchObject({
        code: 'NO_ROUTE_FOUND',
        message: expect.stringMatching(
          /\. Besides, 0x\w+ has [\d,.]+ USDC on sandbox-one and needs 9,000,000 USDC: /,
        ),
        details: { refusals: [{ code: 'INSUFFICIENT_FUNDS', missing: { symbol: 'USDC' } }] },
      })
      const { json: enough } = await run(`${line} --amount-in 1 --json`)
      expect(enough.error.message).not.toContain('Besides')
    }
  })

  test('--compare keeps ineligible providers out of the table, names them on stderr and lists them in CSV', async () => {
    const { out, err } = await run(`swap quote --compare ${near} --amount-in 100`)
    expect(out).toMatch(/^balancer-v2 .* returned no quote$/m)
    expect(out).not.toMatch(/^cctp/m)
    expect(err).toMatch(/^not for this route: .*\bcctp, across, /m)
    const { out: csv } = await run(`swap quote --compare ${near} --amount-in 100 --csv`)
    expect(csv).toMatch(/^cctp,.*does not serve this route$/m)
  })

  test('--compare ranks all quotes with their proofs, and gives an error for each provider without one', async () => {
    const { exit, json, err } = await run(`swap quote --compare ${near} --amount-in 100 --json`)
    const ranked = ['uniswap-v3', 'kyberswap', '1inch', 'uniswap-v2', 'uniswap-v4', 'lifi', 'cow']
    expect(exit).toBe(0)
    expect(
      json.items.map(({ provider, rank }: { provider: string; rank: number }) => [provider, rank]),
    ).toEqual([
      ...ranked.map((name, at) => [name, at + 1]),
      // The others are not for this route.
      ...swapProviderNames.filter((name) => !ranked.includes(name)).map((name) => [name, null]),
    ])
    const [first, , , third, , , , other] = json.items
    expect(third).toMatchObject({ lost: expect.any(String), error: null, proof: { minimum: 'calldata' } })
    expect(first).toMatchObject({
      lost: null,
      error: null,
      proof: { recipient: 'calldata', minimum: 'calldata' },
    })
    expect(first.net).toEqual(first.quote.netAmountOut)
    expect(other).toMatchObject({ quote: null, error: { code: 'PREFERRED_PROVIDER_NOT_ELIGIBLE' } })
    expect(err).toContain(`next: sluice swap execute ${first.quote.id}`)
    expect((await run(`swap execute ${first.quote.id} --yes --json`)).exit).toBe(0)
  })

  test('asks only the providers of SLUICE_SWAP_PROVIDERS, and rejects unknown names and invalid deadlines', async () => {
    const quotedWith = (env: Record<string, string>, more = '') =>
      run(`swap quote ${near} --amount-in 900000 ${more} --json`, { env })
    expect((await quotedWith({})).json.provider).toBe('kyberswap')
    expect((await quotedWith({ SLUICE_SWAP_PROVIDERS: 'uniswap-v2, Uniswap-V3' })).json.provider).toBe(
      'uniswap-v3',
    )
    const { json } = await quotedWith({ SLUICE_SWAP_PROVIDERS: 'uniswap-v2' }, '--provider kyberswap')
    expect(json.error.code).toBe('PREFERRED_PROVIDER_NOT_ELIGIBLE')
    for (const [name, value] of [
      ['SLUICE_SWAP_PROVIDERS', 'uniswap-v3,nobody'],
      ['SLUICE_QUOTE_DEADLINE', '0'],
      ['SLUICE_QUOTE_DEADLINE', '4s'],
    ] as const) {
      const refused = await quotedWith({ [name]: value })
      expect({ exit: refused.exit, error: refused.json.error }, value).toMatchObject({
        exit: 2,
        error: { code: 'CONFIG_INVALID', message: expect.stringContaining(name) },
      })
    }
  })

  test('names the unreachable node when no provider returns a quote', async () => {
    const env = { ...rpcEnvOf(sandbox, { 'sandbox-one': 'http://127.0.0.1:1' }), SLUICE_PROFILE: 'engine' }
    for (const more of ['--compare', '--provider uniswap-v2']) {
      const { exit, json } = await run(`swap quote ${near} --amount-in 100 ${more} --json`, { env })
      expect({ exit, code: json.error.code }).toEqual({
        exit: 4,
        code: 'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE',
      })
      expect(json.error.message).toMatch(/returned no quote: The node at 127\.0\.0\.1:1 cannot be reached/)
    }
    const { exit, json } = await run(`swap quote ${near} --amount-in 100 --json`, { env })
    expect({ exit, code: json.error.code }).toEqual({ exit: 7, code: 'RPC_UNREACHABLE' })
  })

  test('--compare with provider names reports unknown providers, and rejects invalid requests', async () => {
    const { json } = await run(`swap quote --compare uniswap-v3,nobody ${near} --amount-in 100 --json`)
    expect(json.items[1]).toMatchObject({ provider: 'nobody', error: { code: 'INVALID_PREFERRED_PROVIDER' } })
    expect((await run(`swap quote --compare nobody ${near} --amount-in 100 --json`)).json.error.code).toBe(
      'INVALID_PREFERRED_PROVIDER',
    )
    for (const wrong of ['--amount-in 0', '--amount-in 1 --amount-out 1', '--amount-in 1 --provider cctp'])
      expect((await run(`swap quote --compare ${near} ${wrong} --json`)).exit).not.toBe(0)
  })

  test('swap status accepts the idempotency key of a swap, and rejects unknown keys and keys of other actions', async () => {
    const { json: done } = await run(
      `swap execute ${near} --amount-in 3 --yes --json --idempotency-key swap-by-key-1`,
    )
    expect((await run('swap status swap-by-key-1 --json')).json).toMatchObject({
      id: (await run('swap list --json')).json.items[0].id,
      status: 'fulfilled',
      originTxHash: done.transactions.at(-1).hash,
    })
    expect(await run('swap status swap-by-key-2 --json')).toMatchObject({
      exit: 4,
      json: { error: { code: 'QUOTE_NOT_FOUND' } },
    })
    const line = 'deposit aave-v3-usdc-sandbox-one --amount 1 --yes --json --idempotency-key not-a-swap-1'
    const { json: other } = await run(line)
    expect((await run('swap status not-a-swap-1 --json')).json.error).toMatchObject({
      code: 'QUOTE_NOT_FOUND',
      message: '"not-a-swap-1" is an action, but not a swap',
      hint: `sluice action show ${other.id}`,
    })
  })

  test('swap status uses the journal when the database of the service is gone', async () => {
    const line = `swap execute ${near} --amount-in 3 --yes --json`
    const { json: done } = await run(line)
    const { json: told } = await run(`swap status ${done.id} --json`)
    const [file] = readdirSync(home(), { recursive: true, encoding: 'utf8' }).filter((one) =>
      one.endsWith('engine.db'),
    )
    for (const end of ['', '-wal', '-shm']) rmSync(join(home(), `${file}${end}`), { force: true })
    expect(await run(`swap status ${done.id} --watch --json`)).toMatchObject({
      exit: 0,
      json: { ...told, provider: null },
    })
    expect(told.originTxHash).toBe(done.transactions.at(-1).hash)
  })

  test('prints the cost of --speed fast for a bridge transfer, unless it is selected', async () => {
    const { out } = await run(`swap quote ${far} --amount-in 50`)
    expect(out).toMatch(/receive +50 USDC/)
    expect(out).toMatch(/sooner +fast costs 0\.005 USDC and arrives sooner, by --speed fast/)
    expect((await run(`swap quote ${far} --amount-in 50 --speed fast`)).out).not.toContain('sooner')
  })

  test('prints the received amount and the command that executes the quote', async () => {
    const { out } = await run(`swap quote ${near} --amount-out 0.01`)
    expect(out).toMatch(/receive +0\.01 WETH/)
    expect(out).toContain('sluice swap execute')
    const named = await run(`swap quote ${near} --amount-out 0.01 --profile sandbox`)
    expect(named.out).toMatch(/next +sluice swap execute \S+ --profile sandbox/)
  })

  test('accepts token addresses, chain IDs, and slippage in percent or basis points', async () => {
    const line = `--from 31337 --token-in ${sandbox.token(31337, 'USDC').address} --token-out weth --amount-in 10`
    const { json: percent } = await run(`swap quote ${line} --slippage 1% --json`)
    const { json: bps } = await run(`swap quote ${line} --slippage 100bps --json`)
    expect(percent.slippage).toBe(0.01)
    expect(bps.minAmountOut).toEqual(percent.minAmountOut)
  })

  test('swap list filters and paginates', async () => {
    await run(`swap quote ${near} --amount-in 1`)
    await run(`swap quote ${far} --amount-in 100`)
    expect((await run('swap list --provider cctp --json')).json.total).toBe(1)
    expect((await run('swap list --to sandbox-two --json')).json.total).toBe(1)
    const { json } = await run('swap list --limit 1 --page 2 --json')
    expect(json).toMatchObject({ page: 2, limit: 1, total: 2, hasMore: false })
    expect((await run('swap list --csv')).out.split('\n')[0]).toBe(
      'id,from,amountIn,amountInToken,amountInDecimals,to,amountOut,amountOutToken,amountOutDecimals,provider,status,deadline',
    )
  })
})

describe('swap execute', () => {
  test('by quote ID spends the input, delivers the quoted output, and runs only once', async () => {
    const { json: quote } = await run(`swap quote ${near} --amount-in 100 --json`)
    const before = [await held(31337, 'USDC'), await held(31337, 'WETH')] as const
    const { exit, json } = await run(`swap execute ${quote.id} --yes --json --quiet`)
    expect(exit).toBe(0)
    expect(json).toMatchObject({ id: quote.id, type: 'SAMECHAIN_SWAP', status: 'SUCCESS', replayed: false })
    expect(before[0] - (await held(31337, 'USDC'))).toBe(100_000000n)
    const got = (await held(31337, 'WETH')) - before[1]
    expect(got).toBe(BigInt(quote.tokenOut.amount.raw))
    expect(got).toBeGreaterThanOrEqual(BigInt(quote.minAmountOut.raw))
    const again = await signsNothing(() => run(`swap execute ${quote.id} --yes --json --quiet`))
    expect(again.json).toEqual({ ...json, replayed: true })
    const { json: status } = await run(`swap status ${quote.id} --json`)
    expect(status).toMatchObject({ status: 'fulfilled', originTxHash: json.transactions.at(-1).hash })
  })

  test('by flags with an exact output pays another recipient', async () => {
    const before = await held(31337, 'USDC')
    const { exit, json } = await run(
      `swap execute ${near} --amount-out 0.02 --destination ${other} --yes --json --quiet`,
    )
    expect(exit).toBe(0)
    expect(json.receiverAddress).toBe(other)
    expect(await held(31337, 'WETH', other)).toBe(2n * 10n ** 16n)
    expect(before - (await held(31337, 'USDC'))).toBeLessThanOrEqual(
      (BigInt(json.amounts.in.raw) * 1006n) / 1000n,
    )
  })

  test('by quote ID pays the destination of the quote', async () => {
    const { json: quote } = await run(`swap quote ${near} --amount-in 50 --destination ${other} --json`)
    expect((await run(`swap execute ${quote.id} --yes --quiet`)).exit).toBe(0)
    expect(await held(31337, 'WETH', other)).toBe(BigInt(quote.tokenOut.amount.raw))
  })

  test('executes a quote that was planned but never signed with the terms of the new command', async () => {
    const { json: quote } = await run(`swap quote ${near} --amount-in 20 --json`)
    const data = join(home(), 'data', 'sandbox')
    const lock = tryLock(join(data, 'locks', `31337-${sandbox.user.address.toLowerCase()}.lock`))
    expect((await run(`swap execute ${quote.id} --yes --timeout 1s`)).exit).toBe(11)
    lock?.release()
    const before = await held(31337, 'USDC')
    const { exit, json } = await run(`swap execute ${quote.id} --yes --json --max-fee 77`)
    expect(exit).toBe(0)
    expect(json.transactions.map(({ kind }: { kind: string }) => kind)).toEqual(['approve', 'swap'])
    expect(before - (await held(31337, 'USDC'))).toBe(20_000000n)
    const journal = openJournal(join(data, 'journal.db'), Date.now)
    expect(journal.find(quote.id)!.plan).toMatchObject({ terms: { maxFeePerGas: '77000000000' } })
    journal.close()
  })

  test('executes a quote 30 s after it was issued, on a chain whose clock is 10 min ahead', async () => {
    const { rpc } = sandbox.chain(31337)
    await rpc.request('evm_increaseTime', [600])
    await rpc.request('evm_mine')
    const { json: quote } = await run(`swap quote ${near} --amount-in 5 --json`)
    const done = await run(`swap execute ${quote.id} --yes --json --quiet`, { later: 30_000 })
    expect(done).toMatchObject({ exit: 0, json: { status: 'SUCCESS' } })
  })

  test('the dry run names the destination network and the recipient', async () => {
    const other = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
    const dry = async (line: string) =>
      (await run(`swap execute ${line} --dry-run --quiet`)).out.split('\n')[0]
    expect(await dry(`${far} --amount-in 50 --destination ${other}`)).toBe(
      `Swap 50 USDC on sandbox-one for USDC on sandbox-two, paid to ${other} (dry run, nothing is signed)`,
    )
    expect(await dry(`${near} --amount-in 50`)).toMatch(/^Swap 50 USDC for WETH \(dry run/)
  })

  test.each(['fast', 'standard'])(
    'across chains at speed %s delivers the exact amount, and reports both hashes',
    async (speed) => {
      const before = [await held(31337, 'USDC'), await held(31338, 'USDC')] as const
      const { exit, json } = await run(
        `swap execute ${far} --amount-in 50 --speed ${speed} --yes --json --quiet`,
      )
      expect(exit).toBe(0)
      expect(json.type).toBe('CROSSCHAIN_SWAP')
      expect(before[0] - (await held(31337, 'USDC'))).toBe(50_000000n)
      expect((await held(31338, 'USDC')) - before[1]).toBe(speed === 'fast' ? 49_995000n : 50_000000n)
      const { exit: watched, out } = await run(`swap status ${json.id} --watch --interval 50ms --json`)
      expect(watched).toBe(0)
      const last = JSON.parse(out.trimEnd().split('\n').at(-1)!)
      expect(last).toMatchObject({ status: 'fulfilled', originTxHash: json.transactions.at(-1).hash })
      const landed = await sandbox
        .chain(31338)
        .rpc.request('eth_getTransactionReceipt', [last.destinationTxHash])
      expect(landed).toMatchObject({ status: '0x1' })
      expect(json.destinationTxHash).toBe(last.destinationTxHash)
      // What arrived is said, also if it is as much as was sent.
      const shownReport = (await run(['action', 'show', json.id])).out
      expect(shownReport).toMatch(speed === 'fast' ? /^received +49\.995 USDC$/m : /^received +50 USDC$/m)
    },
  )
})
