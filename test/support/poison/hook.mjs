// Replaces one real package by its poisoned version, in every process that inherits NODE_OPTIONS.
// POISON is chalk, ora, cli-table3 or commander; ora is loaded only on a terminal, so it is loaded here with chalk.
import { registerHooks } from 'node:module'

const victim = process.env.POISON
registerHooks({
  resolve: (specifier, context, next) => {
    if (context.parentURL?.includes('/poison/')) return next(specifier, context)
    if (specifier === 'chalk' && victim === 'ora') void import('./ora.mjs')
    if (specifier !== victim || victim === 'ora') return next(specifier, context)
    process.stderr.write(`poisoned ${victim}\n`)
    return { url: new URL(`${victim}.mjs`, import.meta.url).href, shortCircuit: true }
  },
})
