// No page has a serious or critical violation of accessibility, in light and in dark, and at 200 % zoom. What each is and how it looks is kept for the Go
// test.
import { assert, journey, likeness, open, still, violations } from '../harness.mjs'

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
  editor: '/applications/acme/shop/edit?field=components.web',
  plan: '/plan',
  licences: '/licences',
  missing: '/nothing/here',
}

const found = []

await journey(async (page) => {
  const both = async (name, look) => {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      await check(page, `${name}, ${colorScheme}`)
      if (look) await likeness(page, name, colorScheme)
    }
  }
  for (const [name, path] of Object.entries(pages)) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await open(page, path)
    if (name === 'editor') await page.locator('figure[aria-busy="false"]').waitFor()
    if (name === 'overview' || name === 'editor') await still(page.locator('.react-flow__node').first())
    if (name === 'timeline') await page.getByRole('figure').waitFor()
    await both(name, name !== 'licences')
    await page.setViewportSize({ width: 720, height: 450 }) // what 1440 by 900 is at 200 %
    await both(`${name} at 200 %`, false)
  }
})
assert.deepEqual(found, [])

async function check(page, where) {
  for (const said of await violations(page)) found.push(`${where}: ${said}`)
}
