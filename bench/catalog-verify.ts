import { knownCatalog } from '../src/app/profiles/catalog-of-configured-networks.ts'
import { directories } from '../src/app/profiles/directories.ts'
import { rpcUrls } from '../src/app/profiles/rpc-settings.ts'
import { latestBlock } from '../src/chain/head.ts'
import { openChain } from '../src/chain/network-client.ts'
import { failoverRpc } from '../src/chain/rpc/failover.ts'
import { allNetworks, rpcVariable } from '../src/domain/networks.ts'
import { dependencyFaults, marketFaults } from '../src/engine/catalog-checks/contract-check.ts'
import { symbolFaults, unnamedReceipts } from '../src/engine/catalog-checks/symbol-check.ts'
import { marketsOf } from '../src/protocols/registry.ts'
import { keptBooks } from '../test/oracles/books.ts'
import { makerFaults } from '../test/oracles/factories.ts'

/*
 * Checks the catalogue against chains: the assets, pools and decimals of the contracts of every market,
 * the contracts of prices, swaps and bridges, token symbols, and the factories of Morpho vaults.
 * npm run catalog:verify -- --rpc base=http://127.0.0.1:8545; a URL with a key belongs in the environment
 * (SLUICE_RPC_BASE). It exits 1 if a value differs or a node does not answer.
 */

const given = process.argv.flatMap((word, at, all) => (all[at - 1] === '--rpc' ? [word] : []))
const env: Record<string, string | undefined> = { ...process.env }
const ends = (said: string): never => {
  process.stderr.write(`${said}\nnpm run catalog:verify -- --rpc NETWORK=URL, or set SLUICE_RPC_<NETWORK>\n`)
  process.exit(2)
}
for (const pair of given) {
  if (!/^[a-z0-9-]+=/.test(pair)) ends('--rpc takes the name of a network and its URL, with = between them')
  const [name, url] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
  env[rpcVariable({ name })] = url
}
const urls = rpcUrls(env, allNetworks)
if (urls.size === 0) ends('No network is named')
const catalog = await knownCatalog(directories(process.env), env)
const books = keptBooks()
let wrong = 0
for (const network of allNetworks.filter(({ chainId }) => urls.has(chainId))) {
  const { chainId, name } = network
  const rpc = failoverRpc(urls.get(chainId)!, { budgetMs: 60_000, chainId })
  const markets = marketsOf(catalog).filter(({ entry }) => entry.chainId === chainId)
  try {
    const chain = openChain(network, rpc)
    const { number } = await latestBlock(chain)
    const [flawed, unnamed, ...others] = await Promise.all([
      marketFaults(chain, markets),
      unnamedReceipts(chain, catalog),
      dependencyFaults(chain, catalog, number),
      symbolFaults(chain, catalog),
      makerFaults(chain, catalog, books),
    ])
    const beside = others.flat()
    wrong += flawed.length + beside.length
    process.stdout.write(`${name}: ${markets.length - flawed.length} of ${markets.length} markets pass\n`)
    for (const { market, faults } of flawed)
      process.stdout.write(`  ${market.entry.slug}\n${faults.map((fault) => `    ${fault}\n`).join('')}`)
    for (const name of unnamed) process.stdout.write(`  no name in the catalogue: ${name}\n`)
    for (const fault of beside) process.stdout.write(`  ${fault}\n`)
  } catch (error) {
    wrong++
    process.stdout.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`)
  }
}
process.exitCode = wrong > 0 ? 1 : 0
