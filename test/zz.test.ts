import { test } from 'vitest'
import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { useSandbox } from './support/use-sandbox.ts'
const sandbox = useSandbox()
const kids = () => readdirSync('/proc').filter((p) => /^\d+$/.test(p)).map((p) => { try { return readFileSync(`/proc/${p}/stat`, 'utf8') } catch { return '' } }).map((s) => s.split(') ')[1]?.split(' ') ?? []).filter((f) => Number(f[1]) === process.pid).reduce((s, f) => s + Number(f[11]) + Number(f[12]), 0) / 100
test('idle', async () => {
  await sleep(1000)
  const c = process.cpuUsage(), k = kids(), t = Date.now()
  await sleep(10000)
  const u = process.cpuUsage(c)
  console.log('self cpu s/s', (u.user + u.system) / 1e3 / (Date.now() - t), 'kids', (kids() - k) * 1000 / (Date.now() - t))
})
