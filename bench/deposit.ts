import { figure, flag, home, inTurn, peer, run, sluice, table } from './measure.ts'

/*
 * An approval and a deposit, from the command line to the last receipt, compared with a script of two `cast send` on the same
 * sandbox. The program also checks everything and writes a journal. `npm run bench:deposit -- --rounds 9`
 */

type Status = {
  chains: { chainId: number; rpcUrl: string }[]
  accounts: { address: string; default: boolean }[]
  tokens: { network: string; symbol: string; address: string }[]
}
type Plan = { steps: { to: string; call: { args: Record<string, string> } }[] }

const cast = peer('cast')
const place = home()
const json = async <value>(args: readonly string[]): Promise<value> => {
  const { exit, out, err } = await run([...sluice, ...args, '--json', '--quiet'], place.env)
  if (exit !== 0) throw new Error(`sluice ${args.join(' ')} ended with ${exit}: ${out}${err}`)
  return JSON.parse(out) as value
}

try {
  const status = await json<Status>(['sandbox', 'up'])
  const plan = await json<Plan>(['deposit', 'aave-v3-usdc-sandbox-one', '--amount', '1', '--dry-run'])
  const { rpcUrl } = status.chains[0]!
  // The nodes hold the keys of these accounts: cast leaves the signing to them, so it does less than the program.
  const from = status.accounts.find((account) => !account.default)!.address
  const [token, pool] = plan.steps.map(({ to }) => to)
  const send = async (to: string, ...call: string[]) => {
    const { ms, exit, err } = await run(
      [cast, 'send', '--rpc-url', rpcUrl, '--unlocked', '--from', from, to, ...call],
      place.env,
    )
    if (exit !== 0) throw new Error(`cast send ended with ${exit}: ${err}`)
    return ms
  }
  const medians = await inTurn(
    [
      {
        name: 'deposit',
        round: async () => {
          const { ms, exit, err } = await run(
            [...sluice, 'deposit', 'aave-v3-usdc-sandbox-one', '--amount', '1', '--yes', '--json'],
            place.env,
          )
          if (exit !== 0) throw new Error(`sluice deposit ended with ${exit}: ${err}`)
          return ms
        },
      },
      {
        name: 'cast-send-twice',
        round: async () =>
          (await send(token!, 'approve(address,uint256)', pool!, '1000000')) +
          (await send(pool!, 'supply(address,uint256,address,uint16)', token!, '1000000', from, '0')),
      },
    ],
    flag('rounds', 9),
  )
  table(medians)
  figure('deposit', 'deposit-vs-cast', medians.get('deposit')! / medians.get('cast-send-twice')!, 'cast')
} finally {
  await place.close()
}
