package later

// kinds is what runs by itself, and by whom. A new one is a line here.
//
// What is not here, and why: tests, conftest.py and the settings of linters and
// bundlers run when somebody runs the tests or builds, as all source does, and
// what was changed in tests is told with the proof. Lock files and dependencies
// run what others have published. Makefiles, and scripts that only people call,
// are named if a gate uses them: see Reached. Dockerfile, .editorconfig, .nvmrc
// and their like run nothing by themselves.
var kinds = []Kind{
	// Installing and building. Editors do both when a folder is opened.
	{what: "package manager", names: `package.json`, parts: packageJSON},
	{what: "package manager", names: `composer.json`, parts: inJSON("scripts", "bin", "config.allow-plugins")},
	{what: "package manager", names: `deno.json deno.jsonc`, parts: inJSON("tasks")},
	{what: "package manager", names: `pyproject.toml`, parts: pyproject},
	{what: "package manager", names: `cargo.toml`, parts: inTOML("package.build", "package.metadata.build", "lib.proc-macro", "lib.proc_macro")},
	{what: "package manager", names: `rust-toolchain.toml rust-toolchain`, parts: inTOML("toolchain.path")},
	{what: "package manager", names: `pnpm-workspace.yaml`, parts: inBlocks("onlyBuiltDependencies", "dangerouslyAllowAllBuilds", "allowBuilds", "configDependencies", "pnpmfile", "scriptShell", "nodeOptions")},
	{what: "package manager", names: `gemfile gems.rb podfile`, parts: inLines(rubyDependency)},
	{what: "package manager", names: `mix.exs`, parts: inLines(mixDependency)},
	{what: "package manager", names: `setup.py sitecustomize.py usercustomize.py *.pth *.gemspec build.rs binding.gyp *.sbt
		.npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.js .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs bunfig.toml nuget.config
		.cargo/config.toml .cargo/config .bundle/config`, folders: `.yarn/releases .yarn/plugins .yarn/sdks`},
	{what: "build", names: `*.gradle *.gradle.kts`, parts: inLines(gradleDependency)},
	{what: "build", names: `pom.xml`, parts: inXML("build", "profiles", "reporting")},
	{what: "build", names: `*.csproj *.fsproj *.vbproj *.vcxproj *.proj`, parts: msbuild},
	{what: "build", names: `gradlew gradlew.bat gradle.properties gradle-wrapper.properties gradle-wrapper.jar mvnw mvnw.cmd
		directory.build.props directory.build.targets directory.solution.props directory.solution.targets`, folders: `.mvn buildsrc`},

	// Pushing.
	{
		what: "CI", top: true, names: `.gitlab-ci.yml .gitlab-ci.yaml azure-pipelines*.yml azure-pipelines*.yaml .travis.yml .drone.yml .drone.yaml .drone.star .drone.jsonnet
		.woodpecker.yml .woodpecker.yaml bitbucket-pipelines.yml appveyor.yml .appveyor.yml .cirrus.yml .cirrus.star cloudbuild.yml cloudbuild.yaml
		.build.yml buildspec.yml buildspec.yaml codefresh.yml wercker.yml netlify.toml`,
		folders: `.github/workflows .github/actions .gitea/workflows .forgejo/workflows .gitlab .circleci .buildkite .woodpecker .azure-pipelines
		.teamcity .semaphore .tekton .builds .ci`,
	},
	{what: "CI", names: `jenkinsfile jenkinsfile.* *.jenkinsfile`},
	{what: "CI", names: `vercel.json`, parts: inJSON("buildCommand", "installCommand", "devCommand", "ignoreCommand")},

	// Committing and checking out.
	{what: "git", names: `lefthook.* .lefthook.* lefthook-local.* .lefthook-local.* .pre-commit-config.yaml .pre-commit-config.yml .overcommit.yml
		.lintstagedrc .lintstagedrc.* lint-staged.config.* .simple-git-hooks.* simple-git-hooks.* .huskyrc .huskyrc.* husky.config.*
		commitlint.config.* captainhook.json grumphp.yml .gitmodules .gitconfig`, folders: `.husky .githooks .git-hooks .lefthook`},
	{what: "git", names: `.gitattributes`, parts: drivers},

	// Entering the folder.
	{what: "shell", names: `.envrc .autoenv .autoenv.zsh .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .inputrc
		.irbrc .pryrc .gdbinit .lldbinit flake.nix shell.nix default.nix devenv.nix devbox.json`, folders: `.direnv`},
	{what: "shell", names: `mise.toml .mise.toml mise.*.toml .mise.*.toml`, parts: mise},
	{what: "shell", names: `.tool-versions`, parts: toolVersions},
	{what: "shell", names: `.env .env.* .flaskenv`, parts: environment},
	{what: "shell", folders: `.mise .config/mise`},

	// Opening it in an editor, or in a container made for it.
	{what: "editor", names: `*.code-workspace *.sublime-project .exrc .vimrc .nvimrc .nvim.lua .lvimrc .dir-locals.el .dir-locals-2.el .devcontainer.json
		.gitpod.yml .gitpod.dockerfile .replit replit.nix .vscode/tasks.json .vscode/settings.json .vscode/launch.json .vscode/mcp.json
		.zed/settings.json .zed/tasks.json .helix/config.toml .helix/languages.toml`, folders: `.idea .devcontainer .idx .codesandbox .externaltoolbuilders`},

	// Starting an agent, or the next run.
	{
		what:  "agent", // others than those that we know how to call: see agents.go
		names: `.cursor/mcp.json .cursor/hooks.json .cursor/environment.json .roo/mcp.json .windsurf/hooks.json`, folders: `.kiro/hooks .amazonq`,
	},
	{what: "refrain", names: `refrain.toml`, folders: `.refrain/hooks`},
	{what: "refrain", names: `prompt.md`, folders: `.refrain/prompts`, parts: promptCommands},
}
