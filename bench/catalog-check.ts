import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CatalogFile } from '../src/app/profiles/catalog-file.ts'
import { publicNetworks } from '../src/domain/networks.ts'
import { differences, keptBooks } from '../test/oracles/books.ts'

/*
 * Compares src/engine/catalog with the recorded address books (npm run oracles address-books
 * cctp-v2 across stakewise morpho-factories records them again), and with the market names of its survey:
 * npm run catalog:check. It exits 1 on a difference.
 */

const books = keptBooks()
process.stdout.write(
  `${Object.entries(books.packages)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}\n`,
)
let wrong = 0
for (const { name } of publicNetworks) {
  const path = join(import.meta.dirname, '..', 'src', 'engine', 'catalog', `${name}.json`)
  const file = CatalogFile.parse(JSON.parse(readFileSync(path, 'utf8')))
  const { faults, found } = differences(file, books)
  wrong += faults.length
  process.stdout.write(
    `${name.padEnd(17)} ${String(file.strategies.length).padStart(4)} markets  ${String(found).padStart(4)} facts in the books  ${faults.length} differ\n`,
  )
  for (const fault of faults) process.stdout.write(`  ${fault}\n`)
}
process.exitCode = wrong > 0 ? 1 : 0
