// What the page draws. What it shows came from strangers too: it only ever becomes text, never markup.

/** The actions of a customer, newest first: a page of them. */
export function actionRows(
  { items, page = 1, limit = items.length, total = items.length },
  { wallet = '', status = '' } = {},
) {
  const rows = items.map((action) => [
    ['started', time(action.createdAt)],
    ['action', pair(typeOf(action), action.strategySlug)],
    ['amount', amount(action.amounts), 'number'],
    ['status', state(action.status)],
    ['transactions', node('ul', {}, ...(action.transactions ?? []).map(transaction))],
    ['id', node('div', {}, node('code', {}, said(action.id)), timeline(action))],
  ])
  const first = (page - 1) * limit
  const isChosen = wallet !== '' || status !== ''
  return {
    rows,
    about: total > rows.length ? `${first + 1} to ${first + rows.length} of ${total}` : `${rows.length}`,
    empty: isChosen
      ? 'No action matches.'
      : 'Nothing yet. What is done with a key of this customer appears here.',
  }
}

/** The type of an action in words: `SAMECHAIN_INVESTMENT_DEPOSIT` is a deposit, `CROSSCHAIN_SWAP` a cross-chain swap. */
const typeOf = ({ type }) =>
  said(type)
    .replace(/^SAMECHAIN_(INVESTMENT_)?(?=.)/, '')
    .replace(/^CROSSCHAIN_(INVESTMENT_)?(?=.)/, 'cross-chain_')
    .toLowerCase()
    .replaceAll('_', ' ')

/** What happened to an action, in order. */
function timeline(action) {
  const { originAddress: wallet, receiverAddress: receiver, transactions } = action
  const ends = [
    ['by', wallet, transactions?.[0]],
    // What arrives elsewhere is seen on the network of the last transaction.
    ...(receiver === null || receiver === wallet ? [] : [['for', receiver, transactions?.at(-1)]]),
  ]
  const events = [
    node(
      'li',
      {},
      time(action.createdAt),
      ' requested',
      ...ends.flatMap(([word, address, tx]) =>
        isAddress(address) ? [` ${word} `, accountOf(address, tx?.explorerUrl)] : [],
      ),
    ),
    ...(action.transactions ?? []).map((tx) => {
      const { kind, network, status, hash, to, nonce, blockNumber, gasUsed, explorerUrl, error } = tx
      const facts = [
        [nonce, 'nonce'],
        [blockNumber, 'block'],
        [gasUsed && grouped(said(gasUsed)), 'gas'],
      ].flatMap(([value, name]) => (value === null || value === undefined ? [] : [`${name} ${said(value)}`]))
      return node(
        'li',
        {},
        `${said(kind)} on ${said(network)}: `,
        state(hash === null && status === 'pending' ? 'not seen' : status),
        facts.length === 0 ? '' : `, ${facts.join(', ')}`,
        hash === null ? '' : ' ',
        hash === null ? '' : hashOf(said(hash), explorerUrl),
        ...(isAddress(to) ? [', contract ', accountOf(to, explorerUrl)] : []),
        error === null || error === undefined ? '' : node('span', { class: 'bad' }, ` ${said(error)}`),
      )
    }),
    action.finishedAt === null || action.finishedAt === undefined
      ? node('li', {}, time(action.updatedAt), ' last change; not finished')
      : node('li', {}, time(action.finishedAt), ' finished: ', state(action.status)),
  ]
  return node(
    'details',
    { 'data-of': said(action.id) },
    node('summary', {}, 'timeline'),
    node('ol', { class: 'small' }, ...events),
  )
}

/** The positions of a wallet. */
export function positionRows({ items, totalValueUsd, unread = [] }) {
  const rows = items.map(({ slug, name, network, asset, balance, profit, balanceUsd, queuedUsd, apy }) => [
    ['strategy', pair(name ?? slug, name === null ? null : slug)],
    ['network', said(network)],
    ['balance', balance === null ? 'unknown' : decimalOf(balance, asset), 'number'],
    ['profit', decimalOf(profit, asset), 'number'],
    [
      'value',
      pair(
        dollars(balanceUsd),
        !['-', '$0.00'].includes(dollars(queuedUsd)) && `${dollars(queuedUsd)} queued`,
      ),
      'number',
    ],
    ['APY', apy === null ? '-' : percent(apy), 'number'],
  ])
  const lost = unread.length === 0 ? '' : `, without ${unread.length} that could not be read`
  return {
    rows,
    about: `${dollars(totalValueUsd)} in all${lost}`,
    empty: `This wallet has no position${lost}.`,
  }
}

/** Strategies that match what is chosen, with what they paid lately as a line. */
export function strategyRows({ items, total }, { find = '', network = '', sort = 'apy' } = {}) {
  const words = find.toLowerCase().split(/\s+/)
  const shown = items
    .filter((one) => network === '' || said(one.network) === network)
    .filter(({ slug, name, network: where, asset }) => {
      const text = [slug, name, where, asset].map(said).join(' ').toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .toSorted((one, other) => (orders[sort] ?? orders.apy)(one, other) || bySlug(one, other))
  const rows = shown
    .slice(0, mostDrawn)
    .map(({ slug, name, network: where, asset, apy, apyBasis, tvlUsd, paused, points }) => [
      ['strategy', pair(name ?? slug, name === null ? null : slug)],
      ['network', said(where)],
      ['asset', said(asset)],
      ['APY', pair(apy === null ? '-' : percent(apy), apyBasis === 'trailing-7d' && 'last 7 days'), 'number'],
      ['30-day trend', spark(points)],
      ['TVL', dollars(tvlUsd), 'number'],
      ['state', state(paused === false ? 'OPEN' : paused ? 'PAUSED' : 'UNKNOWN')],
    ])
  return {
    rows,
    about: rows.length < total ? `${rows.length} of ${total}` : `${rows.length}`,
    empty: items.length === 0 ? 'This key sees no strategy.' : 'No strategy matches.',
  }
}

/** The most strategies that are drawn at once. */
const mostDrawn = 100

/** Unknown numbers are last, whatever the direction. */
const byNumber = (read) => (one, other) => (read(other) ?? -Infinity) - (read(one) ?? -Infinity) || 0
const byText = (read) => (one, other) => said(read(one)).localeCompare(said(read(other)))
const bySlug = byText(({ slug }) => slug)
const numberOf = (text) => (/^\d+(\.\d+)?$/.test(text ?? '') ? Number(text) : null)
const orders = {
  apy: byNumber(({ apy }) => apy),
  tvlUsd: byNumber(({ tvlUsd }) => numberOf(tvlUsd)),
  name: byText(({ name, slug }) => name ?? slug),
  network: byText(({ network }) => network),
  asset: byText(({ asset }) => asset),
}

/** Puts rows of names, values and classes into a section, as a table; or says why there is none. */
export function draw(section, { rows, about, empty }) {
  section.querySelector('h2 span').textContent = rows.length === 0 ? '' : about
  const body = rows.map((row) =>
    node(
      'tr',
      {},
      ...row.map(([label, value, look]) =>
        node('td', { 'data-label': label, ...(look && { class: look }) }, node('div', {}, value)),
      ),
    ),
  )
  const heads = (rows[0] ?? []).map(([label, , look]) =>
    node('th', { scope: 'col', ...(look && { class: look }) }, label),
  )
  const opened = new Set([...section.querySelectorAll('details[open]')].map((one) => one.dataset.of))
  section
    .querySelector('.rows')
    .replaceChildren(
      rows.length === 0
        ? node('p', { class: 'soft' }, empty)
        : node('table', {}, node('thead', {}, node('tr', {}, ...heads)), node('tbody', {}, ...body)),
    )
  // What somebody has opened stays open.
  for (const one of section.querySelectorAll('details')) one.open = opened.has(one.dataset.of)
}

/** The end of a sentence about what all sources lack, of which each says names with commas, or nothing. */
export function lacking(sources) {
  const names = sources.flatMap(({ missing }) => (missing ?? '').split(',').map((name) => said(name).trim()))
  const all = [...new Set(names)].filter((name) => name !== '')
  return all.length === 0 ? '' : `, without ${all.join(', ')}: nobody answers there`
}

/** A foreign text without what turns its direction, hides, or breaks a line. */
export const said = (value) =>
  String(value ?? '-').replace(
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    '',
  )

function node(name, attributes, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

const pair = (first, second) =>
  node('div', {}, said(first), ...(second ? [node('div', { class: 'soft small' }, said(second))] : []))

const tones = {
  SUCCESS: 'good',
  CONFIRMED: 'good',
  OPEN: 'good',
  FAILED: 'bad',
  REFUNDED: 'bad',
}
const state = (word) =>
  node('span', { class: `state ${tones[said(word).toUpperCase()] ?? 'wait'}` }, said(word))

const time = (iso) =>
  typeof iso === 'string'
    ? node(
        'time',
        { datetime: iso },
        said(iso)
          .replace('T', ' ')
          .replace(/(\.\d+)?Z$/, 'Z'),
      )
    : '-'

const transaction = ({ kind, network, status, hash, explorerUrl, error }) =>
  node(
    'li',
    {},
    `${said(kind)} on ${said(network)} `,
    // The service knows of it only once it is on a chain.
    state(hash === null && status === 'pending' ? 'not seen' : status),
    ' ',
    hash === null ? '' : hashOf(said(hash), explorerUrl),
    error === null ? '' : node('span', { class: 'bad' }, ` ${said(error)}`),
  )

const isAddress = (text) => /^0x[0-9a-f]{40}$/i.test(text ?? '')

/** The base of an explorer by the link to a transaction of its network; `undefined` for any other text. */
const explorerOf = (explorerUrl) =>
  /^(https:\/\/[a-z0-9.-]+)\/tx\/0x[0-9a-f]{64}$/i.exec(explorerUrl ?? '')?.[1]

const hashOf = (hash, explorerUrl) =>
  linked(`${hash.slice(0, 10)}...${hash.slice(-6)}`, hash, explorerOf(explorerUrl) && explorerUrl)

/** An account in short, with a link to the explorer of the network of a transaction. */
function accountOf(address, explorerUrl) {
  const base = explorerOf(explorerUrl)
  return linked(
    `${address.slice(0, 6)}...${address.slice(-4)}`,
    address,
    base && `${base}/address/${address}`,
  )
}

function linked(short, whole, href) {
  const code = node('code', { title: whole }, short)
  return href ? node('a', { href, rel: 'noreferrer noopener', target: '_blank' }, code) : code
}

/** An amount is a decimal text, and stays one. */
function amount(amounts) {
  const { formatted, symbol } = amounts?.in ?? amounts?.out ?? {}
  return /^\d+(\.\d+)?$/.test(formatted ?? '') ? `${grouped(formatted)} ${said(symbol)}` : '-'
}

/** A decimal text with its unit, with at most six decimals that are not zero. */
function decimalOf(text, unit) {
  const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text ?? '') ?? []
  if (whole === undefined) return '-'
  const kept = fraction.slice(0, Math.max(6, fraction.search(/[1-9]/) + 2)).replace(/0+$/, '')
  const sign = whole.startsWith('-') ? '-' : ''
  return `${sign}${grouped(`${whole.replace('-', '')}${kept === '' ? '' : `.${kept}`}`)} ${said(unit)}`
}

/** Dollars and cents, cut. */
function dollars(text) {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text ?? '') ?? []
  return whole === undefined ? '-' : `$${grouped(whole)}.${fraction.slice(0, 2).padEnd(2, '0')}`
}

function grouped(text) {
  const [whole, fraction] = text.split('.')
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (fraction ? `.${fraction}` : '')
}

const percent = (fraction) => `${(fraction * 100).toFixed(2)}%`

/**
 * How high each value of a series is drawn, from 0 for its lowest to 1. One that hardly changes, by less than a hundredth of itself, runs in
 * the middle, as in a terminal: the last digits of a rate would look like a fall.
 */
export function heights(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const isFlat = high - low <= Math.abs(high) * 0.01
  return values.map((value) => (isFlat ? 0.5 : (value - low) / (high - low)))
}

/** A series as a line. */
function spark(points) {
  if (points.length < 2) return node('span', { class: 'soft' }, '-')
  const [low, high] = [Math.min(...points), Math.max(...points)]
  const place = (height, step) =>
    `${((step / (points.length - 1)) * 120).toFixed(1)},${(22 - height * 20).toFixed(1)}`
  const of = 'http://www.w3.org/2000/svg'
  const [image, line] = ['svg', 'polyline'].map((name) => document.createElementNS(of, name))
  image.setAttribute('viewBox', '0 0 120 24')
  image.setAttribute('preserveAspectRatio', 'none')
  image.setAttribute('class', 'spark')
  image.setAttribute('role', 'img')
  image.setAttribute('aria-label', `${points.length} days, from ${percent(low)} to ${percent(high)}`)
  line.setAttribute('points', heights(points).map(place).join(' '))
  image.append(line)
  return image
}
