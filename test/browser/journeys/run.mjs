// Where a person is needed, the page says who may and what to type. Nothing is approved by a click.
import { assert, journey, open, picture } from '../harness.mjs'

await journey(async (page) => {
  const waits = page.getByRole('region', { name: 'Waits for people' })
  await waits.getByText('waits for an approval of a tenant-admin').waitFor()
  await waits.getByRole('link', { name: 'acme/books' }).click()
  const needed = page.getByRole('region', { name: 'A person is needed' })
  await needed.getByText(/^reconciler approve acme\/books agree --run [0-9a-f]{12}$/).waitFor()
  await needed.getByText('It counts only if somebody with the role tenant-admin signed the commit.', { exact: false }).waitFor()
  await needed.getByText('git push', { exact: true }).waitFor()
  for (const button of await needed.getByRole('button').all()) assert.match((await button.getAttribute('aria-label')) ?? '', /^Copy: /)
  await page.locator('.react-flow__node').nth(2).waitFor()
  await page.getByText('step agree needs the role tenant-admin, and Ada <ada@example.com> has none').waitFor()
  await picture(page, 'run')

  await open(page, '/applications/acme/front/run')
  await page.getByRole('region', { name: 'A person is needed' }).getByText(/^reconciler resume acme\/front release --run [0-9a-f]{12}$/).waitFor()
})
