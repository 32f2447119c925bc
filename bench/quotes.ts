import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectSandbox } from '../src/sandbox/daemon-client.ts'
import { contractsIn } from '../src/swaps/swap-contracts.ts'
import { type UniswapV3Constants, uniswapV3Contracts } from '../src/swaps/uniswap-v3/constants-schema.ts'
import { oracles } from '../test/oracles/sets.ts'
import { type Count, farSandbox } from './far-sandbox.ts'
import { figure, flag, median, sluice } from './measure.ts'

/*
 * The time of a quote: all providers of a chain in parallel, with nodes 100 ms slower per call, and all bridges; the same while their HTTP
 * services answer after 10 s; and Uniswap v3 alone, compared with the official SDK on the same pools. Each is a whole process;
 * the two quoters are also compared from their first request to their last response, without the start of Node.
 * It installs the SDK, which needs the package registry. `npm run bench:quotes -- --rounds 5 --latency 100`
 */

const rounds = flag('rounds', 5)
const latencyMs = flag('latency', 100)
/** The default deadline of a quote, in ms. */
const deadlineMs = 4_000
const { packages, overrides } = oracles.find(({ name }) => name === 'uniswap-v3')!
const dir = mkdtempSync(join(tmpdir(), 'sluice-quotes-'))
const { env, rpcUrl, counted, json, close } = await farSandbox(latencyMs)
try {
  writeFileSync(
    join(dir, 'package.json'),
    JSON.stringify({ private: true, dependencies: packages, overrides }),
  )
  execFileSync('npm', ['install', '--ignore-scripts', '--legacy-peer-deps', '--loglevel=error'], { cwd: dir })
  const script = join(dir, 'quotes-peer.cjs')
  copyFileSync(join(import.meta.dirname, 'quotes-peer.cjs'), script)
  const { catalog } = (await connectSandbox(join(env.SLUICE_HOME!, 'data')))!
  const [{ chainId, factory, quoterV2, feeTiers }] = contractsIn(catalog, uniswapV3Contracts) as [
    UniswapV3Constants,
  ]
  const token = (symbol: string) =>
    catalog.tokens.find((one) => one.chainId === chainId && one.symbol === symbol)!
  const [tokenIn, tokenOut] = [token('USDC'), token('WETH')]
  const asked = {
    rpcUrl,
    chainId,
    factory,
    quoter: quoterV2,
    tokenIn,
    tokenOut,
    feeTiers,
    amountIn: '1000000',
  }
  const pair = ['--from', 'sandbox-one', '--token-in', 'USDC', '--token-out', 'WETH', '--amount-in', '1']
  const quote = (...more: string[]) =>
    counted([...sluice, 'swap', 'quote', ...pair, ...more, '--json', '--quiet'])
  const sdk = async () => {
    const count = await counted([process.execPath, script, JSON.stringify(asked)])
    if (BigInt((JSON.parse(count.out) as { amountOut: string }).amountOut) === 0n)
      throw new Error('the SDK found no pool')
    return count
  }
  const measure = async (name: string, once: () => Promise<Count>): Promise<Count> => {
    const all: Count[] = []
    for (let round = 0; round <= rounds; round++) {
      const one = await once()
      if (round > 0) all.push(one)
    }
    const of = (what: keyof Count) => median(all.map((one) => one[what]))
    const row = {
      trips: of('trips'),
      requests: of('requests'),
      calls: of('calls'),
      ms: of('ms'),
      wireMs: of('wireMs'),
    }
    process.stdout.write(
      `${name.padEnd(18)} ${row.trips} trips, ${row.requests} requests, ${row.calls} calls, ${row.ms.toFixed(0)} ms, of these ${row.wireMs.toFixed(0)} ms from the first request to the last answer\n`,
    )
    return row
  }
  const all = await measure('all-providers', () => quote())
  const far = [
    'swap',
    'quote',
    '--from',
    'sandbox-one',
    '--to',
    'sandbox-two',
    '--token-in',
    'USDC',
    '--token-out',
    'USDC',
  ]
  const bridges = await measure('bridges', () =>
    counted([...sluice, ...far, '--amount-in', '50', '--json', '--quiet']),
  )
  const compared = await measure('compare', () => quote('--compare'))
  const alone = await measure('uniswap-v3', () => quote('--provider', 'uniswap-v3'))
  const peers = await measure('uniswap-sdk', sdk)
  await json(['sandbox', 'fault', 'services-slow', '10s'])
  const late = await measure('services-late', () => quote())
  await json(['sandbox', 'fault', 'clear'])
  figure('quotes', 'all-providers-trips', all.trips, 'uniswap-sdk', 'round-trips')
  figure('quotes', 'bridges-trips', bridges.trips, 'uniswap-sdk', 'round-trips')
  figure('quotes', 'compare-trips', compared.trips, 'uniswap-sdk', 'round-trips')
  figure('quotes', 'uniswap-v3-vs-sdk-process', alone.ms / peers.ms, 'uniswap-sdk')
  figure('quotes', 'uniswap-v3-vs-sdk', alone.wireMs / peers.wireMs, 'uniswap-sdk')
  figure('quotes', 'late-vs-deadline', late.ms / deadlineMs, 'deadline')
} finally {
  await close()
  rmSync(dir, { recursive: true, force: true })
}
