// Somebody else commits to the same field while a draft is on the way: the open page says so by itself, both are shown, and the draft goes on from there.
// It is written into the work tree.
import { assert, journey, keep, open, picture, violations } from '../harness.mjs'

await journey(
  async (page) => {
    const web = '/applications/acme/shop/edit?field=components.web.replicas'
    const save = page.getByRole('button', { name: 'Save as a branch' })
    await open(page, web)
    await page.getByRole('spinbutton', { name: 'replicas', exact: true }).fill('6')
    await page.getByText('can be saved').waitFor()
    keep('ready', '') // the Go test lets somebody else commit another number now
    await page.getByText('the files changed since').waitFor() // nobody touches the page
    await page.getByText(/^1 change$/).waitFor()
    assert.equal(await page.getByRole('spinbutton', { name: 'replicas', exact: true }).inputValue(), '6', 'the draft is as it was')
    const conflicts = page.getByRole('region', { name: 'Conflicts' })
    await conflicts.waitFor()
    assert.match(await conflicts.getByRole('row', { name: /components\.web\.replicas/ }).innerText(), /4\s+6\s+7/)
    assert.equal(await save.isEnabled(), false)
    assert.deepEqual(await violations(page), [], 'conflicts')
    await picture(page, 'editor-conflict')
    await page.getByRole('button', { name: 'put your changes on the newest files' }).click()
    await page.getByText('can be saved').waitFor()
    assert.match(await page.locator('pre.diff').innerText(), /-\s+replicas: 7\n+\+\s+replicas: 6\n/)
    await page.getByRole('button', { name: 'Throw the draft away' }).click()
    await page.getByText('nothing changed yet').waitFor()

    await page.getByRole('spinbutton', { name: 'replicas', exact: true }).fill('6')
    await page.getByText('can be saved').waitFor()
    await save.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Write into the work tree instead' }).click()
    await dialog.getByText('no commit has it: tenants/acme/apps/shop/app.cue').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByText('nothing changed yet').waitFor()
  },
  { allowed: [/status of 40[09]/, /status of 503/] },
)
