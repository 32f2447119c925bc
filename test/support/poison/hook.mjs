// Puts one poisoned package in the place of a real one, in every process that inherits NODE_OPTIONS.
// POISON is chalk, ora, cli-table3 or commander; ora is only loaded on a terminal, so here it comes along with chalk.
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
