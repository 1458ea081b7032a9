"""The pages of the dashboard, one thin script per view; modules with an underscore are shared."""
