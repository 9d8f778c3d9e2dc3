// No page has a serious or critical violation of accessibility, in light and in dark, and at 200 % zoom.
import { assert, axe, journey, open, picture, settled } from '../harness.mjs'

const pages = {
  fleet: '/',
  tenant: '/tenants/globex',
  pools: '/pools',
  problems: '/problems',
  overview: '/applications/acme/shop',
  waiting: '/applications/initech/simulation',
  decision: '/applications/globex/analytics/decision',
  run: '/applications/acme/shop/run',
  history: '/applications/acme/shop/history',
  timeline: '/timeline',
  licences: '/licences',
  missing: '/nothing/here',
}

const found = []

await journey(async (page) => {
  const both = async (name, look) => {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      await check(page, `${name}, ${colorScheme}`)
      if (look) await picture(page, `${name}-${colorScheme}`)
    }
  }
  for (const [name, path] of Object.entries(pages)) {
    await open(page, path)
    if (name === 'overview') await page.locator('.react-flow__node').first().waitFor()
    await both(name, true)
  }
  await page.setViewportSize({ width: 720, height: 450 }) // what 1440 by 900 is at 200 %
  for (const path of ['/', '/applications/globex/analytics/decision']) {
    await open(page, path)
    await both(`${path} at 200 %`, false)
  }
})
assert.deepEqual(found, [])

async function check(page, where) {
  await settled(page)
  await page.evaluate(axe.source)
  const said = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
  for (const v of said.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')) {
    found.push(`${where}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary ?? ''}`).join(' | ')}`)
  }
}
