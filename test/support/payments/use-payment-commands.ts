import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { rpcEnvOf, type useCommands } from '../use-commands.ts'
import type { useSandbox } from '../use-sandbox.ts'

const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

/** Payments on the first sandbox chain through an endpoint, treated as a public chain, which does not mine on request. */
export function usePayments(
  sandbox: ReturnType<typeof useSandbox>,
  { run }: Pick<ReturnType<typeof useCommands>, 'run'>,
) {
  const rpc = () => sandbox.chain(31337).rpc
  const url = () => sandbox.chain(31337).rpcUrl
  const token = () => sandbox.token(31337, 'USDC').address
  let paid = 0
  return {
    rpc,
    url,
    token,
    friend,
    run: (line: string, at = url()) =>
      run(line, { env: rpcEnvOf(sandbox, { 'sandbox-one': at }), secrets: { privateKey: sandboxKey() } }),
    /** The amount paid so far. */
    got: () => sandbox.balanceOf(31337, token(), friend),
    /** A command line that pays, with its own idempotency key. */
    pay: (amount: number, more = '') =>
      `transfer --idempotency-key payment-${++paid} --network sandbox-one --token USDC --to ${friend} --amount ${amount} --yes --json --trust-first-use ${more}`,
    height: async () => Number(await rpc().request('eth_blockNumber')),
  } as const
}
