import { type Count, farSandbox } from './far-sandbox.ts'
import { figure, flag, median, peer, run, sluice } from './measure.ts'

/*
 * The dependent round trips and the requests of whole commands, counted at the nodes: each node call takes 100 ms longer, and its
 * start and end are recorded. The longest chain of non-overlapping calls is the number of dependent round trips.
 * Two `cast send` are measured for comparison. `npm run bench:trips -- --rounds 3 --latency 100`; `--only deposit` measures one row.
 * `--days 30` moves the clocks of the sandbox forward first: the budgets are the same.
 */

const rounds = flag('rounds', 3)
const latencyMs = flag('latency', 100)
const days = flag('days', 0)
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined
const isVerbose = process.argv.includes('--verbose')

const { env, status, rpcUrl, json, counted, close } = await farSandbox(latencyMs)
try {
  if (days > 0) await json(['sandbox', 'warp', `${days}d`])
  const strategy = 'aave-v3-usdc-sandbox-one'
  const plan = await json<{ steps: { to: string }[] }>(['deposit', strategy, '--amount', '1', '--dry-run'])
  const other = status.accounts.find((account) => !account.default)!.address
  const [token, pool] = plan.steps.map(({ to }) => to)
  const cast = peer('cast')
  const send = (to: string, ...call: string[]) =>
    counted([cast, 'send', '--rpc-url', rpcUrl, '--unlocked', '--from', other, to, ...call])
  const program = (...args: string[]) => counted([...sluice, ...args, '--json', '--quiet'])
  const pair = ['--from', 'sandbox-one', '--token-in', 'USDC', '--token-out', 'WETH', '--amount-in', '1']
  const rows: Record<string, { budget?: [trips: number, requests: number]; once: () => Promise<Count> }> = {
    deposit: { budget: [9, 14], once: () => program('deposit', strategy, '--amount', '1', '--yes') },
    'deposit-pipeline': {
      budget: [6, 10],
      once: () => program('deposit', strategy, '--amount', '1', '--yes', '--pipeline'),
    },
    withdraw: { budget: [6, 9], once: () => program('withdraw', strategy, '--amount', '1', '--yes') },
    transfer: {
      budget: [6, 9],
      once: () =>
        program(
          'transfer',
          '--network',
          'sandbox-one',
          '--token',
          'USDC',
          '--to',
          other,
          '--amount',
          '1',
          '--yes',
        ),
    },
    swap: {
      budget: [10, 15],
      once: () => program('swap', 'execute', ...pair, '--yes'),
    },
    'dry-run': { budget: [3, 5], once: () => program('deposit', strategy, '--amount', '1', '--dry-run') },
    'strategies-list': { budget: [2, 8], once: () => program('strategies', 'list') },
    recommend: { budget: [2, 8], once: () => program('yield', 'recommend', 'USDC') },
    'wallet-show': { budget: [2, 8], once: () => program('wallet', 'show') },
    'swap-compare': { budget: [2, 4], once: () => program('swap', 'quote', ...pair, '--compare') },
    'swap-quote': {
      budget: [2, 8],
      once: () => program('swap', 'quote', ...pair),
    },
    history: { budget: [3, 6], once: () => program('history', strategy) },
    'strategies-show': { budget: [3, 6], once: () => program('strategies', 'show', strategy) },
    resume: {
      budget: [3, 5],
      once: async () => {
        // The first read of an action with a pending transaction; mining is stopped meanwhile.
        const plain = (...args: string[]) => run([...sluice, ...args, '--quiet'], env)
        await plain('sandbox', 'fault', 'stop-mining', '--network', 'sandbox-one')
        await plain('deposit', strategy, '--amount', '1', '--yes', '--no-wait')
        const [latest] = (await json<{ items: { id: string }[] }>(['action', 'list'])).items
        const resume = [...sluice, 'action', 'resume', latest!.id, '--yes', '--no-wait', '--json', '--quiet']
        const look = await counted(resume, 20)
        await plain('sandbox', 'fault', 'clear')
        await plain('action', 'resume', latest!.id, '--yes')
        return look
      },
    },
    'cast-send-twice': {
      once: async () => {
        const one = await send(token!, 'approve(address,uint256)', pool!, '1000000')
        const two = await send(pool!, 'supply(address,uint256,address,uint16)', token!, '1000000', other, '0')
        return {
          ms: one.ms + two.ms,
          requests: one.requests + two.requests,
          calls: one.calls + two.calls,
          trips: one.trips + two.trips,
          wireMs: one.wireMs + two.wireMs,
        }
      },
    },
  }
  const measured = new Map<string, Count>()
  for (const [name, { budget, once }] of Object.entries(rows)) {
    if (only !== undefined && name !== only && name !== 'cast-send-twice') continue
    const all: Count[] = []
    for (let round = 0; round <= rounds; round++) {
      if (isVerbose) process.stdout.write(`${name}\n`)
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
    measured.set(name, row)
    process.stdout.write(
      `${name.padEnd(18)} ${String(row.trips).padStart(4)} trips${budget ? ` (${budget[0]})`.padEnd(6) : '      '} ${String(row.requests).padStart(4)} requests${budget ? ` (${budget[1]})`.padEnd(6) : '      '} ${String(row.calls).padStart(4)} calls ${row.ms.toFixed(0).padStart(6)} ms\n`,
    )
  }
  for (const [name, { trips, requests }] of measured) {
    figure('trips', name, trips, 'cast', 'round-trips')
    figure('trips', `${name}-requests`, requests, 'cast', 'calls')
  }
  const [deposit, peers] = [measured.get('deposit'), measured.get('cast-send-twice')]
  if (deposit && peers) figure('trips', 'deposit-vs-cast', deposit.ms / peers.ms, 'cast')
} finally {
  await close()
}
