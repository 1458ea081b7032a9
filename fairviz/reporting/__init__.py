"""All that the loaded data allow, as one report and one bundle: of the Export page and of ``fairviz report``."""
